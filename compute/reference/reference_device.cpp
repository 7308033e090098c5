// SPDX-License-Identifier: Apache-2.0
/// The device that runs the plain loops.
#include "compute/device/device.hpp"
#include "compute/device/immediate_stream.hpp"
#include "compute/reference/reference_operations.hpp"

namespace actorpipe {

reference_operations::reference_operations(
  std::shared_ptr<allocator> memory, std::shared_ptr<memory_account> holder)
  : memory_(std::move(memory)), holder_(std::move(holder)) {}

tensor reference_operations::make(const tensor_type& type) {
  return tensor::make(type, memory_, holder_);
}

namespace {

class reference_device final
  : public device,
    public std::enable_shared_from_this<reference_device> {
public:
  explicit reference_device(std::string name) : name_(std::move(name)) {}

  const std::string& name() const noexcept override { return name_; }

  const std::shared_ptr<allocator>& memory() const noexcept override {
    return memory_;
  }

  std::unique_ptr<stream>
  make_stream(std::shared_ptr<memory_account> holder) override {
    return std::make_unique<immediate_stream>(
      shared_from_this(),
      std::make_unique<reference_operations>(memory_, std::move(holder)));
  }

private:
  std::string name_;
  std::shared_ptr<allocator> memory_ = make_pooled_host_allocator();
};

} // namespace

std::shared_ptr<device> make_reference_device(std::string name) {
  return std::make_shared<reference_device>(std::move(name));
}

} // namespace actorpipe
