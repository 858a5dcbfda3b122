// Stands for the step of idempotency keys, and notes what it is told.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "task/key_claims.h"

namespace host::task {

class FakeClaims final : public KeyClaims {
 public:
  std::string became_task(const std::string& principal, std::string_view call,
                          const std::string& task) override {
    told.push_back(principal + " " + std::string(call) + " is " + task);
    return "digest";
  }
  void hold(const store::IdempotencyKey& key, std::string_view arguments,
            const std::string& task) override {
    told.push_back("hold " + key.tool + "/" + key.key + " " + std::string(arguments) + " " + task);
  }
  void release(const store::IdempotencyKey& key, std::string_view task,
               bool must_not_repeat) override {
    told.push_back((must_not_repeat ? "keep " : "release ") + key.tool + "/" + key.key + " " +
                   std::string(task));
  }
  void interrupted(const store::IdempotencyKey& key) override {
    told.push_back("interrupted " + key.tool + "/" + key.key);
  }
  std::vector<std::string> told;
};

}  // namespace host::task
