// SPDX-License-Identifier: Apache-2.0
/// Reading and writing a socket, directly or through TLS.
#include "actors/link/link_stream.hpp"

#include "actors/link/link_error.hpp"
#include "actors/link/socket_io.hpp"
#include "actors/link/tls_session.hpp"

#include <utility>

namespace actorpipe {

struct link_stream::implementation {
  implementation(int descriptor, ssl_st* state) : socket(descriptor) {
    if (state != nullptr)
      tls = std::make_unique<tls_session>(state, socket);
  }

  tcp_socket socket;
  std::unique_ptr<tls_session> tls; ///< null in plain text
  bool sends_no_more = false;
};

link_stream::link_stream(int descriptor, ssl_st* tls)
  : impl_(std::make_unique<implementation>(descriptor, tls)) {
  impl_->socket.set_options();
  impl_->socket.set_blocking(false);
}

link_stream::~link_stream() = default;
link_stream::link_stream(link_stream&&) noexcept = default;
link_stream& link_stream::operator=(link_stream&&) noexcept = default;

int link_stream::descriptor() const noexcept {
  return impl_->socket.descriptor();
}

void link_stream::shut_down() noexcept {
  impl_->socket.shut_down();
}

link_stream::progress link_stream::try_secure() {
  if (impl_->tls == nullptr)
    return progress::done;
  const auto finished = impl_->tls->shake_hands();
  if (!impl_->socket.send_kept(io_mode::at_once))
    return progress::wants_write;
  return finished ? progress::done : progress::wants_read;
}

link_stream::progress link_stream::try_read(std::span<std::byte>& into) {
  while (!into.empty()) {
    const auto got =
      impl_->tls ? impl_->tls->read(into) : impl_->socket.receive(into, {});
    if (!got)
      return progress::wants_read;
    if (*got == 0)
      throw link_error(peer_closed);
    into = into.subspan(*got);
  }
  return progress::done;
}

void link_stream::put(part bytes) {
  if (impl_->tls)
    impl_->tls->write(bytes, io_mode::at_once);
  else
    impl_->socket.keep(bytes);
}

link_stream::progress link_stream::try_flush() {
  return impl_->socket.send_kept(io_mode::at_once) ? progress::done
                                                   : progress::wants_write;
}

link_stream::progress link_stream::try_close() {
  if (!std::exchange(impl_->sends_no_more, true))
    impl_->socket.shut_down_writing();
  std::byte forgotten[4096];
  for (;;) {
    const auto got = impl_->socket.receive(forgotten, {});
    if (!got)
      return progress::wants_read;
    if (*got == 0)
      return progress::done;
  }
}

void link_stream::set_blocking() {
  impl_->socket.set_blocking(true);
}

void link_stream::write(std::span<const part> parts) {
  if (impl_->tls) {
    impl_->tls->write(parts, io_mode::blocking);
    impl_->socket.send_kept(io_mode::blocking);
  } else {
    impl_->socket.send(parts, io_mode::blocking);
  }
}

bool link_stream::write_now(std::span<const part> parts) {
  if (!impl_->tls)
    return impl_->socket.send(parts, io_mode::at_once);
  impl_->tls->write(parts, io_mode::at_once);
  return impl_->socket.send_kept(io_mode::at_once);
}

void link_stream::flush() {
  impl_->socket.send_kept(io_mode::blocking);
}

std::size_t link_stream::read(std::span<std::byte> first,
                              std::span<std::byte> more) {
  for (;;) {
    const auto got =
      impl_->tls ? impl_->tls->read(first) : impl_->socket.receive(first, more);
    if (got)
      return *got;
    impl_->socket.await_data(); // the socket itself may not block
  }
}

std::string link_stream::find_end() const {
  return impl_->socket.find_end();
}

} // namespace actorpipe
