#include "upstream/call/opened_urls.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "json/json.h"
#include "protocol/foreign_questions.h"

namespace host::upstream {
namespace {

// The state of a round, with the number of its questions, a colon and a random id.
constexpr std::string_view kUrls = "io.toolpost/urls:";
constexpr std::size_t kIdBytes = 16;

bool is_accepted(const std::string& answer) {
  const auto tree = json::parse(answer);
  return tree && tree->root().IsObject() && json::find_text(tree->root(), "action") == "accept";
}

}  // namespace

tool::CallResult OpenedUrls::ask(std::vector<tool::Question> questions) {
  Asked asked;
  asked.state = std::string(kUrls) + std::to_string(questions.size()) + ":" + random_id(kIdBytes);
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
  return state.starts_with(kUrls);
}

bool OpenedUrls::are_agreed(const tool::Continuation& resumed) {
  if (!is_state(resumed.state)) return true;
  const std::string_view rest = std::string_view(resumed.state).substr(kUrls.size());
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

}  // namespace host::upstream
