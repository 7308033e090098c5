// SPDX-License-Identifier: Apache-2.0
/// Moves CAF's bytes through OpenSSL.
#pragma once

#include "actors/control/openssl_handles.hpp"
#include "actors/control/without_sigpipe.hpp"

#include <caf/io/network/native_socket.hpp>
#include <caf/io/network/rw_state.hpp>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <functional>
#include <utility>

namespace actorpipe {

/// What `caf::io::network::stream_impl` asks of a way to move bytes. The
/// handshake goes on whenever the socket is ready for anything.
class tls_policy {
public:
  using rw_state = caf::io::network::rw_state;
  using native_socket = caf::io::network::native_socket;

  /// `secured` is called once, when the other end's certificate is accepted.
  tls_policy(openssl::session session, std::function<void()> secured)
    : session_(std::move(session)), secured_(std::move(secured)) {
    // nop
  }

  rw_state read_some(std::size_t& count, native_socket, void* to,
                     std::size_t size) {
    return move(count, size, false,
                [&](int most) { return SSL_read(session_.get(), to, most); });
  }

  rw_state write_some(std::size_t& count, native_socket, const void* from,
                      std::size_t size) {
    return move(count, size, true, [&](int most) {
      return SSL_write(session_.get(), from, most);
    });
  }

  /// Whether bytes have left the socket that CAF has not got.
  bool must_read_more(native_socket, std::size_t) {
    return SSL_pending(session_.get()) > 0;
  }

private:
  template <class Operation>
  rw_state move(std::size_t& count, std::size_t size, bool is_write,
                Operation operation) {
    const without_sigpipe guard;
    count = 0;
    ERR_clear_error();
    if (secured_ != nullptr) {
      if (const auto result = SSL_do_handshake(session_.get()); result != 1)
        return explain(result, is_write);
      std::exchange(secured_, nullptr)();
    }
    if (size == 0)
      return rw_state::indeterminate;
    const auto most = static_cast<int>(std::min<std::size_t>(size, INT_MAX));
    const auto result = operation(most);
    if (result <= 0)
      return explain(result, false);
    count = static_cast<std::size_t>(result);
    return rw_state::success;
  }

  /// `is_idle`: CAF has nothing to write, and asks again when the socket can be
  /// read; else it would ask without end, since it can always be written.
  rw_state explain(int result, bool is_idle) {
    switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return is_idle ? rw_state::indeterminate : rw_state::success;
    case SSL_ERROR_WANT_WRITE:
      return rw_state::success;
    default:
      return rw_state::failure;
    }
  }

  openssl::session session_;
  std::function<void()> secured_;
};

} // namespace actorpipe
