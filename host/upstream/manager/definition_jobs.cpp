#include "upstream/manager/definition_jobs.h"

#include <string_view>
#include <utility>

#include "json/excerpt.h"
#include "json/json.h"
#include "json/schema/time_budget.h"
#include "upstream/pins/pins.h"

namespace host::upstream {
namespace {

constexpr std::size_t kRefusedNameBytes = 64;

// The tool of an entry that cannot be read; empty: it has no name.
std::string tool_of(std::string_view entry) {
  const auto tree = json::parse(entry);
  return tree ? json::excerpt(json::find_text(tree->root(), "name"), kRefusedNameBytes)
              : std::string();
}

}  // namespace

bool DefinitionReader::step() {
  if (next_ == list_.entries.size()) return false;
  const auto begin = json::schema::thread_cpu_time();
  const std::string entry = std::move(list_.entries[next_++]);
  auto definition = definition_of(entry);
  if (definition && !names_.insert(definition->tool).second) {
    refusals.push_back({definition->tool, "an earlier entry of the list has the same name"});
  } else if (definition) {
    definitions.push_back(*std::move(definition));
  } else {
    refusals.push_back({tool_of(entry), definition.error().message});
  }
  spent_ += json::schema::thread_cpu_time() - begin;
  return next_ < list_.entries.size();
}

Difference Reviewer::difference_in(const store::PinRecord& record) const {
  Difference out = difference(record.accepted, record.held,
                              [this](std::string_view text) { return secrets_.hide(text); });
  if (out.lines.empty()) out.lines.emplace_back("... only secret values differ");
  return out;
}

bool Reviewer::step() {
  if (next_ < held_.size()) {
    const store::PinRecord& record = held_[next_++];
    Difference differs{{"... not shown: the waiting definitions together are too long"}, true};
    if (shown_ < kMostReviewBytes) differs = difference_in(record);
    for (const std::string& line : differs.lines) shown_ += line.size();
    review.held.push_back({record.tool, record.accepted.empty(), digest_of(record.held),
                           record.changed, std::move(differs.lines), differs.is_cut});
  }
  if (next_ < held_.size()) return true;
  review.digest = digest_of_all(held_);
  return false;
}

}  // namespace host::upstream
