// A transport whose upstream is the test.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "upstream/connection/transport.h"

namespace host::upstream {

// Keeps what was sent; the test answers.
class FakeTransport final : public Transport {
 public:
  struct State {
    TransportListener* listener = nullptr;
    std::vector<Outgoing> sent;
    std::vector<std::string> cancelled;
    bool closed = false;
    bool stdio = true;
    bool may_be_replaced = false;
    int pauses = 0;
    bool is_paused = false;
    std::chrono::milliseconds pause{0};  // the last one
    std::optional<protocol::Version> version;
  };

  explicit FakeTransport(std::shared_ptr<State> state) : state_(std::move(state)) {}
  ~FakeTransport() override { state_->listener = nullptr; }
  void open(TransportListener& listener) override { state_->listener = &listener; }
  void send(Outgoing message) override { state_->sent.push_back(std::move(message)); }
  void cancel(const protocol::Id& id, std::string) override { state_->cancelled.push_back(id); }
  void negotiated(protocol::Version version) override { state_->version = version; }
  void close() override { state_->closed = true; }
  void pause_reading(std::chrono::milliseconds time) override {
    ++state_->pauses;
    state_->is_paused = time.count() > 0;
    state_->pause = time;
  }
  bool silence_means_legacy() const override { return state_->stdio; }
  bool is_process() const override { return state_->stdio; }
  bool keeps_tasks() const override { return !state_->stdio; }
  bool may_be_replaced() const override { return state_->may_be_replaced; }
  std::string describe() const override { return "fake"; }

 private:
  const std::shared_ptr<State> state_;
};

}  // namespace host::upstream
