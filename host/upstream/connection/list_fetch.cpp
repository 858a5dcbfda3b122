#include "upstream/connection/list_fetch.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "protocol/client_requests.h"

namespace host::upstream {
namespace {

class Fetch : public std::enable_shared_from_this<Fetch> {
 public:
  Fetch(Connection& connection, std::string list, const ListLimits& limits,
        std::function<void(Result<FetchedList>)> done)
      : connection_(connection),
        list_(std::move(list)),
        limits_(limits),
        end_(steady_now() + limits.timeout),
        done_(std::move(done)) {}

  void ask(const std::string& cursor) {
    Request request;
    request.method = list_ + "/list";
    request.members = protocol::cursor_member(cursor);
    if (limits_.timeout.count() > 0) request.timeout = left();
    request.on_answer = [self = shared_from_this()](const Answer& answer) { self->take(answer); };
    connection_.send(std::move(request));
  }

 private:
  // Never 0, which is no timeout.
  std::chrono::milliseconds left() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - steady_now());
    return std::max(left, std::chrono::milliseconds(1));
  }

  void take(const Answer& answer) {
    if (answer.kind == Answer::Kind::Failed) return done_(answer.why);
    if (answer.kind == Answer::Kind::Refused) {
      return done_(Error{ErrorKind::PluginFault,
                         "it refused " + list_ + "/list: " + answer.refusal.message});
    }
    auto page = protocol::read_list_page(*answer.result, list_);
    if (!page) return done_(page.error().within(list_ + "/list"));
    for (const json::Value* entry : page->entries) {
      if (!add(json::write(*entry))) return done_(std::move(fetched_));
    }
    if (!page->cursor) return done_(std::move(fetched_));
    if (++pages_ >= limits_.pages) return cut("it has more pages than limits.upstream_pages");
    if (!cursors_.insert(*page->cursor).second) return cut("it gave the same cursor twice");
    ask(*page->cursor);
  }

  bool add(std::string entry) {
    bytes_ += entry.size();
    if (fetched_.entries.size() >= limits_.entries) {
      fetched_.cut = "it has more than " + std::to_string(limits_.entries) +
                     " entries (limits.upstream_tools)";
    } else if (bytes_ > limits_.bytes) {
      fetched_.cut = "it has more than " + std::to_string(limits_.bytes) +
                     " bytes (limits.upstream_message_bytes)";
    } else {
      fetched_.entries.push_back(std::move(entry));
    }
    return fetched_.cut.empty();
  }

  void cut(std::string why) {
    fetched_.cut = std::move(why);
    done_(std::move(fetched_));
  }

  Connection& connection_;
  const std::string list_;
  const ListLimits limits_;
  const SteadyTime end_;
  const std::function<void(Result<FetchedList>)> done_;
  FetchedList fetched_;
  std::uint64_t bytes_ = 0;
  std::uint32_t pages_ = 0;
  std::set<std::string> cursors_;
};

}  // namespace

void fetch_list(Connection& connection, const std::string& list, const ListLimits& limits,
                std::function<void(Result<FetchedList>)> done) {
  std::make_shared<Fetch>(connection, list, limits, std::move(done))->ask({});
}

}  // namespace host::upstream
