// SPDX-License-Identifier: Apache-2.0
/// The device of host threads.
#include "compute/cpu/cpu_operations.hpp"
#include "compute/device/device.hpp"
#include "compute/device/immediate_stream.hpp"

namespace actorpipe {

cpu_operations::cpu_operations(worker_pool& workers,
                               std::shared_ptr<allocator> memory,
                               std::shared_ptr<memory_account> holder)
  : workers_(workers), memory_(std::move(memory)), holder_(std::move(holder)) {}

tensor cpu_operations::make(const tensor_type& type) {
  return tensor::make(type, memory_, holder_);
}

void cpu_operations::enqueue(std::int64_t pieces,
                             std::function<void(std::int64_t)> work) {
  workers_.parallel_for(pieces, work);
}

namespace {

class cpu_device final : public device,
                         public std::enable_shared_from_this<cpu_device> {
public:
  cpu_device(std::string name, std::size_t threads)
    : name_(std::move(name)), workers_(threads) {}

  const std::string& name() const noexcept override { return name_; }

  const std::shared_ptr<allocator>& memory() const noexcept override {
    return memory_;
  }

  std::unique_ptr<stream>
  make_stream(std::shared_ptr<memory_account> holder) override {
    return std::make_unique<immediate_stream>(
      shared_from_this(),
      std::make_unique<cpu_operations>(workers_, memory_, std::move(holder)));
  }

private:
  std::string name_;
  std::shared_ptr<allocator> memory_ = make_pooled_host_allocator();
  worker_pool workers_;
};

} // namespace

std::shared_ptr<device> make_cpu_device(std::string name, std::size_t threads) {
  return std::make_shared<cpu_device>(std::move(name), threads);
}

} // namespace actorpipe
