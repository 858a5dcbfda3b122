#include "plugin/wire/news.h"

namespace host::plugin {

void News::add_updated(std::string_view uri) {
  if (updated.size() < kMostUpdated) updated.emplace(uri);
}

void News::merge(News later) {
  if (later.restarted) *this = {};
  restarted = restarted || later.restarted;
  resources = resources || later.resources;
  prompts = prompts || later.prompts;
  for (const auto& [tool, on] : later.tools) tools[tool] = on;
  for (const std::string& uri : later.updated) add_updated(uri);
}

void NewsBoard::heard() {
  News ready;
  {
    const std::lock_guard lock(mutex_);
    on_way_ = !news_.empty();
    if (!on_way_) return;
    ready = std::exchange(news_, {});
  }
  send_(std::move(ready));
}

void NewsInbox::put(News news) {
  news_.merge(std::move(news));
  if (listener_) listener_(take());
}

void NewsInbox::listen(Listener listener) {
  listener_ = std::move(listener);
  if (!news_.empty()) listener_(take());
}

}  // namespace host::plugin
