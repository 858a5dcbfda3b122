#include "plugin/generation.h"

namespace host::plugin {

Generation::Generation(std::shared_ptr<Surroundings> around, Build build)
    : around_(std::move(around)), build_(std::move(build)) {}

Generation::~Generation() = default;

void Generation::set_tools(std::vector<std::shared_ptr<const tool::Tool>> tools) {
  all_tools_ = std::move(tools);
  pick_tools();
}

bool Generation::offer_tools(const News& news) {
  const std::set<std::uint32_t> before = withdrawn_;
  if (news.restarted) withdrawn_.clear();
  for (const auto& [tool, on] : news.tools) {
    if (on) {
      withdrawn_.erase(tool);
    } else if (tool < build_.manifest.tools.size()) {  // a worker may say anything
      withdrawn_.insert(tool);
    }
  }
  if (withdrawn_ == before) return false;
  pick_tools();
  return true;
}

void Generation::pick_tools() {
  tools_.clear();
  for (const auto& tool : all_tools_) {
    if (!withdrawn_.contains(tool->index())) tools_.push_back(tool);
  }
}

}  // namespace host::plugin
