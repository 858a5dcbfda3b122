// The questions with a URL that an upstream has asked on one connection. In protocol version
// 2025-11-25, the upstream can report that the user has finished at the URL of a question
// (notifications/elicitation/complete). The functions of Elicitations are called on the I/O thread.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "tool/definition/question.h"

namespace host::upstream {

class Elicitations {
 public:
  // kMost is the maximum number of questions whose end the upstream can report to the host. If a
  // new question exceeds kMost, the host forgets the oldest question.
  static constexpr std::size_t kMost = 256;

  // Sets `ended` of the question, if the upstream gave the question an id. Questions with the same
  // id end together.
  void watch(tool::Question& question);
  // Ends the questions with this id. If no question has this id, or nobody waits for their ends any
  // more, complete() does nothing.
  void complete(std::string_view id);

 private:
  struct Open {
    std::string id;
    std::weak_ptr<Cancel> ended;  // expired: nobody waits for the end
  };
  std::deque<Open> open_;  // the oldest is first
};

}  // namespace host::upstream
