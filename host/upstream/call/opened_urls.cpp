#include "upstream/call/opened_urls.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "json/json.h"
#include "protocol/foreign_questions.h"
#include "tool/definition/unbegun.h"

namespace host::upstream {
namespace {

// The state of a round is tool::kUnbegun, the number of its questions, the server that required the
// URLs and a random id, with colons between them.
constexpr std::size_t kIdBytes = 16;

bool is_accepted(const std::string& answer) {
  const auto tree = json::parse(answer);
  return tree && tree->root().IsObject() && json::find_text(tree->root(), "action") == "accept";
}

}  // namespace

tool::CallResult OpenedUrls::ask(std::vector<tool::Question> questions) {
  Asked asked;
  asked.state = std::string(tool::kUnbegun) + std::to_string(questions.size()) + ":" + server_ +
                ":" + random_id(kIdBytes);
  for (const tool::Question& question : questions) {
    if (question.ended) asked.ends.push_back(question.ended);
  }
  tool::CallResult asks;
  asks.round.emplace();
  asks.round->state = asked.state;
  asks.round->questions = std::move(questions);
  asked_.push_back(std::move(asked));
  if (asked_.size() > kMost) asked_.pop_front();
  return asks;
}

bool OpenedUrls::is_state(std::string_view state) {
  return tool::is_unbegun(state);
}

bool OpenedUrls::is_own(std::string_view state) const {
  if (!is_state(state)) return false;
  const std::string_view rest = state.substr(tool::kUnbegun.size());
  const auto colon = rest.find(':');
  return colon != std::string_view::npos && rest.substr(colon + 1).starts_with(server_ + ":");
}

bool OpenedUrls::are_agreed(const tool::Continuation& resumed) {
  if (!is_state(resumed.state)) return true;
  const std::string_view rest = std::string_view(resumed.state).substr(tool::kUnbegun.size());
  const std::string_view count = rest.substr(0, rest.find(':'));
  for (std::size_t number = 1; number <= protocol::kMostRequired; ++number) {
    const auto answer = resumed.answers.find(protocol::key_of_required(number));
    if (answer == resumed.answers.end() || !is_accepted(answer->second)) return false;
    if (count == std::to_string(number)) return true;
  }
  return false;
}

std::vector<std::shared_ptr<Cancel>> OpenedUrls::unfinished(std::string_view state) const {
  std::vector<std::shared_ptr<Cancel>> open;
  const auto found = std::find_if(asked_.begin(), asked_.end(),
                                  [&](const Asked& one) { return one.state == state; });
  if (found == asked_.end()) return open;
  for (const auto& end : found->ends) {
    if (!end->requested()) open.push_back(end);
  }
  return open;
}

void OpenedUrls::forget(std::string_view state) {
  std::erase_if(asked_, [&](const Asked& one) { return one.state == state; });
}

}  // namespace host::upstream
