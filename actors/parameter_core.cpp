// SPDX-License-Identifier: Apache-2.0
/// The messages of a parameter actor, and which version it has.
#include "actors/parameter_core.hpp"

#include "actors/payload_types.hpp"
#include "compute/ops/to_host.hpp"

#include <algorithm>
#include <exception>
#include <type_traits>
#include <utility>

namespace actorpipe {

parameter_core::parameter_core(parameter_options options, outbox& out)
  : options_(std::move(options)),
    types_(shard_types(*options_.source, *options_.rule, *options_.layout,
                       options_.how->cut, options_.cell)),
    out_(out), stream_(options_.where->make_stream(options_.holder)),
    now_(initial_version()) {
  current_.run = options_.run;
}

void parameter_core::meet(const parameter_neighbours& others) {
  others_ = others;
  if (!is_published_ && others.attempt == current_.attempt)
    publish();
}

void parameter_core::publish() {
  is_published_ = true;
  ++edition_;
  const auto& values = now_.values;
  for (const auto user : options_.layout->users_of(options_.cell)) {
    payload data{{}, now_.ready};
    for (const auto& use : options_.layout->uses(options_.cell, user))
      data.tensors.push_back(values.parameters[use.ordinal].weight);
    if (user == options_.cell)
      for (const auto& layer : values.states)
        data.tensors.insert(data.tensors.end(), layer.begin(), layer.end());
    out_.send(weights{options_.run, current_.attempt, edition_, values.updates,
                      options_.cell, user},
              std::move(data));
  }
  if (others_.has_keeper)
    out_.send(shard{{options_.run, current_.attempt, now_.made_by},
                    shard_purpose::replica,
                    options_.cell,
                    values.updates},
              {flatten(values), now_.ready});
}

// -- what the scheduler is told -----------------------------------------------

void parameter_core::say(answer what) {
  said_ = std::move(what);
  repeat();
}

void parameter_core::repeat() {
  std::visit(
    [this](const auto& x) {
      if constexpr (!std::is_same_v<decltype(x), const std::monostate&>)
        out_.send(x);
    },
    said_);
}

void parameter_core::accept(const inquire& message) {
  if (message.id == current_)
    repeat();
}

void parameter_core::fail(error_code code, const std::string& what) {
  closed_ = true;
  forget_step();
  say(failed{current_, code,
             "parameters of cell " + std::to_string(options_.cell) + ": "
               + what});
}

void parameter_core::forget_step() {
  arrived_.clear();
  gradients_.clear();
  state_sums_.clear();
}

// -- a mini-batch -------------------------------------------------------------

void parameter_core::accept(const accumulated& header, payload data) {
  if (header.id.run != options_.run || header.id < current_
      || header.id.attempt < asked_in_)
    return;
  if (header.id > current_) {
    // The barrier: whatever was made before is committed or was abandoned.
    if (!others_.keeps_version_before)
      before_.reset();
    current_ = header.id;
    said_ = {};
    closed_ = false;
    forget_step();
  }
  if (closed_ || arrived_.contains(header.cell))
    return;
  if (auto fault = find_fault(*options_.source, *options_.layout, *options_.how,
                              options_.cell, header, data))
    return fail(error_code::protocol_violated, *fault);
  samples_ = header.samples;
  arrived_.emplace(header.cell, std::move(data));
  if (arrived_.size() < options_.layout->users_of(options_.cell).size())
    return;
  try {
    prepare();
  } catch (const std::exception& error) {
    fail(error_code::layer_failed, error.what());
  }
}

void parameter_core::accept(const apply_update& message) {
  if (message.id != current_ || message.id.attempt < asked_in_)
    return;
  if (!std::holds_alternative<prepared>(said_))
    return repeat();
  if (message.version != now_.values.updates + 1)
    return fail(error_code::protocol_violated,
                "version " + std::to_string(message.version)
                  + " does not follow version "
                  + std::to_string(now_.values.updates));
  // Every cell has the present version, and its replica is kept.
  before_.reset();
  try {
    replace(next_version(message));
  } catch (const std::exception& error) {
    return fail(error_code::layer_failed, error.what());
  } catch (...) {
    return fail(error_code::layer_failed,
                "the optimiser threw something that is no exception");
  }
  say(applied{message.id, options_.cell});
}

void parameter_core::replace(version next) {
  before_ = std::exchange(now_, std::move(next));
  forget_step();
  publish();
}

void parameter_core::accept(const committed& message) {
  if (message.id == current_ && message.id.attempt >= asked_in_
      && !others_.keeps_version_before)
    before_.reset();
}

// -- return to a version ------------------------------------------------------

void parameter_core::accept(const abandon& message) {
  if (message.run != options_.run || message.attempt < current_.attempt
      || message.attempt < asked_in_)
    return;
  if (message.attempt > current_.attempt) {
    current_ = {message.run, message.attempt, 0};
    said_ = {};
    closed_ = false;
    forget_step();
    returning_ = message;
    returned_ = false;
  }
  if (std::holds_alternative<failed>(said_))
    return repeat();
  try {
    returned_ = returned_ || return_to(message);
  } catch (const std::exception& error) {
    return fail(error_code::layer_failed, error.what());
  }
  if (returned_)
    out_.send(abandoned{message.run, message.attempt,
                        "parameter " + std::to_string(options_.cell)});
}

bool parameter_core::return_to(const abandon& message) {
  const auto is_wanted = [&](const version& x) {
    return x.values.updates == message.version && x.made_by <= message.settled;
  };
  // What nobody has seen yet stands back behind a replica: that may hold values
  // that were installed.
  if (is_wanted(now_) && (is_published_ || !others_.has_source)) {
    if (!others_.keeps_version_before)
      before_.reset();
  } else if (before_ && is_wanted(*before_)) {
    now_ = *std::exchange(before_, std::nullopt);
  } else if (others_.has_source) {
    out_.send(fetch{{message.run, message.attempt, message.settled},
                    options_.cell,
                    message.version});
    return false;
  } else if (message.version == 0) {
    before_.reset();
    now_ = initial_version();
  } else {
    fail(error_code::protocol_violated, "version "
                                          + std::to_string(message.version)
                                          + " is not here, and nobody has it");
    return false;
  }
  publish();
  return true;
}

void parameter_core::restore(const shard& header, const payload& data) {
  before_.reset();
  now_ = loaded_version(header, data);
  returned_ = true;
  publish();
  out_.send(abandoned{current_.run, current_.attempt,
                      "parameter " + std::to_string(options_.cell)});
}

// -- shards -------------------------------------------------------------------

void parameter_core::accept(const get_shard& message) {
  // Shards do not get lost: one answer is enough.
  if (message.id.run != options_.run || message.id < current_
      || message.id <= collected_)
    return;
  try {
    tensor_list on_host;
    for (const auto& x : flatten(now_.values))
      on_host.push_back(to_host(stream_->ops(), x));
    stream_->record().wait();
    out_.send(shard{message.id, shard_purpose::collect, options_.cell,
                    now_.values.updates},
              {std::move(on_host), {}});
    collected_ = message.id;
  } catch (const std::exception& error) {
    out_.send(failed{message.id, error_code::layer_failed,
                     "parameters of cell " + std::to_string(options_.cell)
                       + ": " + error.what()});
  }
}

void parameter_core::accept(const shard& header, const payload& data) {
  if (header.id.run != options_.run || header.id.attempt < current_.attempt
      || header.id.attempt < asked_in_)
    return;
  const bool is_install = header.purpose == shard_purpose::install;
  if (is_install) {
    if (header.id == current_)
      return repeat();
    if (header.id < current_)
      return;
    current_ = header.id;
    said_ = {};
  } else if (header.purpose != shard_purpose::restore || returned_
             || header.id.attempt != current_.attempt
             || header.version != returning_.version) {
    return;
  }
  if (header.cell != options_.cell || !are_of_types(data.tensors, types_))
    return fail(error_code::protocol_violated,
                "values of cell " + std::to_string(header.cell) + " brought "
                  + to_string(types_of(data.tensors)) + "; expected "
                  + to_string(types_));
  try {
    if (is_install)
      install(header, data);
    else
      restore(header, data);
  } catch (const std::exception& error) {
    fail(error_code::layer_failed, error.what());
  }
}

void parameter_core::install(const shard& header, const payload& data) {
  closed_ = true;
  replace(loaded_version(header, data));
  say(installed{header.id, options_.cell});
}

inventory parameter_core::versions(const take_inventory& asked) {
  inventory result{asked.run, asked.attempt, 0, {}};
  if (asked.run != options_.run)
    return result;
  asked_in_ = std::max(asked_in_, asked.attempt);
  if (!is_published_)
    return result;
  result.shards.push_back({options_.cell, now_.values.updates, false});
  if (before_)
    result.shards.push_back({options_.cell, before_->values.updates, false});
  return result;
}

} // namespace actorpipe
