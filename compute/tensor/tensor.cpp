// SPDX-License-Identifier: Apache-2.0
/// Tensors: shared storage that is charged to its holder while it lives.
#include "compute/tensor/tensor.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace actorpipe {
namespace {

template <class T>
constexpr dtype dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return dtype::f32;
  else if constexpr (std::is_same_v<T, double>)
    return dtype::f64;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return dtype::i32;
  else
    return dtype::u8;
}

/// Host memory straight from the system, for tensors that belong to nobody.
class plain_host_allocator final : public allocator {
public:
  void* allocate(std::size_t bytes) override {
    return ::operator new(bytes, alignment);
  }
  void release(void* block, std::size_t) noexcept override {
    ::operator delete(block, alignment);
  }

private:
  static constexpr std::align_val_t alignment{64};
};

tensor make_plain(const tensor_type& type) {
  return tensor::make(type, std::make_shared<plain_host_allocator>(), nullptr);
}

template <class T>
tensor from_values(const shape& extents, const std::vector<T>& values) {
  if (extents.elements() != static_cast<std::int64_t>(values.size()))
    throw std::invalid_argument("a tensor " + to_string(extents) + " needs "
                                + std::to_string(extents.elements())
                                + " values, not "
                                + std::to_string(values.size()));
  auto result = make_plain({dtype_of<T>(), extents});
  std::copy(values.begin(), values.end(), result.template data<T>());
  return result;
}

} // namespace

struct tensor::storage {
  storage(const tensor_type& type, std::shared_ptr<allocator> from,
          std::shared_ptr<memory_account> charged)
    : source(std::move(from)), holder(std::move(charged)),
      size_bytes(type.size_bytes()) {
    block = source->allocate(static_cast<std::size_t>(size_bytes));
    if (holder != nullptr)
      holder->charge(size_bytes);
  }

  storage(const storage&) = delete;
  storage& operator=(const storage&) = delete;

  ~storage() {
    source->release(block, static_cast<std::size_t>(size_bytes));
    if (holder != nullptr)
      holder->discharge(size_bytes);
  }

  void charge_to(std::shared_ptr<memory_account> receiver) {
    std::lock_guard guard(lock);
    if (receiver != nullptr)
      receiver->charge(size_bytes);
    if (holder != nullptr)
      holder->discharge(size_bytes);
    holder = std::move(receiver);
  }

  std::shared_ptr<allocator> source;
  std::mutex lock; ///< of `holder`
  std::shared_ptr<memory_account> holder;
  std::int64_t size_bytes;
  void* block = nullptr;
};

tensor tensor::make(const tensor_type& type,
                    const std::shared_ptr<allocator>& source,
                    const std::shared_ptr<memory_account>& holder) {
  tensor result;
  result.type_ = type;
  try {
    result.storage_ = std::make_shared<storage>(type, source, holder);
  } catch (const std::bad_alloc& cause) {
    throw out_of_memory("cannot make a tensor " + to_string(type) + " for "
                        + (holder == nullptr ? "nobody" : holder->holder())
                        + ": " + cause.what());
  }
  return result;
}

tensor tensor::from(const shape& extents, const std::vector<float>& values) {
  return from_values(extents, values);
}

tensor tensor::from(const shape& extents, const std::vector<double>& values) {
  return from_values(extents, values);
}

tensor tensor::from(const shape& extents,
                    const std::vector<std::int32_t>& values) {
  return from_values(extents, values);
}

tensor tensor::from(const shape& extents,
                    const std::vector<std::uint8_t>& values) {
  return from_values(extents, values);
}

tensor tensor::zeros(const tensor_type& type) {
  auto result = make_plain(type);
  std::memset(result.bytes(), 0, static_cast<std::size_t>(type.size_bytes()));
  return result;
}

void* tensor::bytes() noexcept {
  return const_cast<void*>(std::as_const(*this).bytes());
}

const void* tensor::bytes() const noexcept {
  if (storage_ == nullptr || storage_->block == nullptr)
    return nullptr;
  return static_cast<const std::byte*>(storage_->block) + offset_bytes_;
}

template <class T>
T* tensor::data() {
  assert(element() == dtype_of<T>());
  return static_cast<T*>(bytes());
}

template <class T>
const T* tensor::data() const {
  assert(element() == dtype_of<T>());
  return static_cast<const T*>(bytes());
}

template float* tensor::data();
template double* tensor::data();
template std::int32_t* tensor::data();
template std::uint8_t* tensor::data();
template const float* tensor::data() const;
template const double* tensor::data() const;
template const std::int32_t* tensor::data() const;
template const std::uint8_t* tensor::data() const;

tensor tensor::rows(std::int64_t begin, std::int64_t end) const {
  const auto count = extents().rank() == 0 ? -1 : extents()[0];
  if (begin < 0 || begin > end || end > count)
    throw std::out_of_range("rows [" + std::to_string(begin) + ", "
                            + std::to_string(end) + ") of a tensor "
                            + to_string(type_));
  auto result = *this;
  result.type_.extents = extents().with_front(end - begin);
  if (count > 0)
    result.offset_bytes_ += size_bytes() / count * begin;
  return result;
}

tensor tensor::reshaped(const shape& extents) const {
  if (extents.elements() != elements())
    throw std::invalid_argument("a tensor " + to_string(type_)
                                + " cannot be reshaped to "
                                + to_string(extents));
  auto result = *this;
  result.type_.extents = extents;
  return result;
}

void tensor::charge_to(const std::shared_ptr<memory_account>& holder) const {
  if (storage_ != nullptr)
    storage_->charge_to(holder);
}

std::vector<tensor_type> types_of(const tensor_list& xs) {
  std::vector<tensor_type> result;
  result.reserve(xs.size());
  for (const auto& x : xs)
    result.push_back(x.type());
  return result;
}

} // namespace actorpipe
