#include "router/toolkit/tool_search.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/on_executor.h"
#include "store/sqlite/word_index.h"

namespace host::router {
namespace {

using boost::asio::awaitable;
using store::WordIndex;

// Entries that no search finds have no words, so that a document's number is its entry's.
std::vector<WordIndex::Document> documents_of(const View& view) {
  std::vector<WordIndex::Document> documents;
  documents.reserve(view.snapshot->entries().size());
  for (const tool::Entry& entry : view.snapshot->entries()) {
    WordIndex::Document& document = documents.emplace_back();
    if (entry.provider->identity().is_host()) continue;
    const tool::Declaration& declared = entry.tool->declared();
    document.name = declared.name;
    document.text = declared.title + "\n" + declared.description;
    document.labels = view.profile->groups().words_of(entry);
  }
  return documents;
}

}  // namespace

struct ToolSearch::Index {
  Result<std::unique_ptr<WordIndex>> words = Error{ErrorKind::Internal, "the index is not made"};
};

ToolSearch::~ToolSearch() {
  if (thread_) thread_->join();
}

std::shared_ptr<ToolSearch::Index> ToolSearch::index_of(const View& view) {
  if (!thread_) thread_.emplace(1);
  std::erase_if(kept_, [](const Kept& kept) { return kept.snapshot.expired(); });
  const auto known = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) {
    return kept.snapshot.lock() == view.snapshot;
  });
  if (known != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, known);
    return kept_.front().index;
  }
  if (kept_.size() == kMostIndexes) kept_.pop_back();
  kept_.push_front({view.snapshot, std::make_shared<Index>()});
  boost::asio::post(*thread_, [index = kept_.front().index, documents = documents_of(view)] {
    index->words = WordIndex::build(documents);
  });
  return kept_.front().index;
}

bool ToolSearch::can_activate(const tool::Peer& who) const {
  const auto view = views_.of(who);
  return view && view->session && router_.can_switch_groups(*view, who);
}

awaitable<Result<std::vector<ToolSearch::Found>>> ToolSearch::find(tool::Peer who,
                                                                   std::string query,
                                                                   std::size_t most) {
  using Numbers = Result<std::vector<std::uint32_t>>;
  std::vector<Found> found;
  const auto asked = views_.of(who);
  if (!asked) co_return found;
  const std::size_t all = asked->snapshot->entries().size();
  std::function<Numbers()> search = [index = index_of(*asked), query = std::move(query),
                                     all]() -> Numbers {
    if (!index->words) return index->words.error();
    return (*index->words)->search(query, all);
  };
  HOST_CO_TRY_ASSIGN(const std::vector<std::uint32_t> numbers,
                     co_await on_executor<Numbers>(thread_->get_executor(), std::move(search)));
  const auto now = views_.of(who);  // the catalog or the session may have changed meanwhile
  if (!now) co_return found;
  for (const std::uint32_t number : numbers) {
    if (found.size() == most) break;
    const std::string& name = asked->snapshot->entries()[number].tool->name();
    const tool::Entry* const entry = now->snapshot->find(name);
    if (!entry || entry->provider->identity().is_host()) continue;
    const Router::Sight sight = router_.sight_of(*now, who, *entry);
    if (sight.shown || !sight.group.empty()) found.push_back({entry->tool, sight.group});
  }
  co_return found;
}

}  // namespace host::router
