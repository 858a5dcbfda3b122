#include "upstream/connection/list_fetch.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "protocol/client_requests.h"

namespace host::upstream {
namespace {

struct Page {
  std::vector<std::string> entries;  // as JSON, `most` at most
  std::optional<std::string> cursor;
  std::optional<std::chrono::milliseconds> ttl;
};

Result<Page> page_of(const json::Value& result, std::string_view list, std::size_t most) {
  HOST_TRY_ASSIGN(protocol::ListPage read, protocol::read_list_page(result, list));
  Page page{{}, std::move(read.cursor), read.ttl};
  for (const json::Value* const entry : read.entries) {
    if (page.entries.size() == most) break;
    page.entries.push_back(json::write(*entry));
  }
  return page;
}

class Fetch : public std::enable_shared_from_this<Fetch> {
 public:
  Fetch(Connection& connection, ListName list, const ListLimits& limits,
        std::weak_ptr<JobThread> jobs, std::function<void(Result<FetchedList>)> done)
      : connection_(connection),
        life_(connection.life()),
        jobs_(std::move(jobs)),
        list_(std::move(list)),
        limits_(limits),
        end_(steady_now() + limits.timeout),
        done_(std::move(done)) {}

  void ask(const std::string& cursor) {
    Request request;
    request.method = list_.method + "/list";
    request.members = protocol::cursor_member(cursor);
    if (limits_.timeout.count() > 0) request.timeout = left();
    request.on_answer = [self = shared_from_this()](Answer answer) {
      self->take(std::move(answer));
    };
    connection_.send(std::move(request));
  }

 private:
  // Never 0, which is no timeout.
  std::chrono::milliseconds left() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - steady_now());
    return std::max(left, std::chrono::milliseconds(1));
  }

  void take(Answer answer) {
    if (answer.kind == Answer::Kind::Failed) {
      // NotFound says that the upstream does not know the method, and a lost answer says nothing.
      if (answer.why.kind == ErrorKind::NotFound) answer.why.kind = ErrorKind::Unavailable;
      return done_(answer.why);
    }
    if (answer.kind == Answer::Kind::Refused) {
      const bool is_unknown = answer.refusal.code == protocol::kMethodNotFound;
      return done_(Error{is_unknown ? ErrorKind::NotFound : ErrorKind::PluginFault,
                         "it refused " + list_.method + "/list: " + answer.refusal.message});
    }
    struct Reading {
      Answer answer;
      std::optional<Result<Page>> page;
    };
    const auto jobs = jobs_.lock();
    if (!jobs) return;  // its owners are gone, and with them whoever wants the list
    auto hold = std::move(answer.reading);  // released on the I/O thread
    auto reading = std::make_shared<Reading>(Reading{std::move(answer), {}});
    jobs->run(
        [reading, list = list_.member, most = limits_.entries + std::size_t{1}] {
          reading->page.emplace(page_of(*reading->answer.result, list, most));
          return false;
        },
        [self = shared_from_this(), reading, hold = std::move(hold)] {
          if (!self->life_.expired()) self->take_page(*std::move(reading->page));
        });
  }

  void take_page(Result<Page> page) {
    if (!page)
      return done_(connection_.secrets()->hide(page.error()).within(list_.method + "/list"));
    if (page->ttl) fetched_.ttl = std::min(fetched_.ttl.value_or(*page->ttl), *page->ttl);
    for (std::string& entry : page->entries) {
      if (!add(std::move(entry))) return done_(std::move(fetched_));
    }
    if (!page->cursor) return done_(std::move(fetched_));
    if (++pages_ >= limits_.pages) return cut("it has more pages than limits.upstream_pages");
    if (!cursors_.insert(*page->cursor).second) return cut("it gave the same cursor twice");
    ask(*page->cursor);
  }

  bool add(std::string entry) {
    bytes_ += entry.size();
    if (fetched_.entries.size() >= limits_.entries) {
      fetched_.cut = "it has more than " + std::to_string(limits_.entries) + " entries (" +
                     limits_.entries_key + ")";
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
  const std::weak_ptr<const bool> life_;  // of the connection
  const std::weak_ptr<JobThread> jobs_;   // weak: its jobs own this object
  const ListName list_;
  const ListLimits limits_;
  const SteadyTime end_;
  const std::function<void(Result<FetchedList>)> done_;
  FetchedList fetched_;
  std::uint64_t bytes_ = 0;
  std::uint32_t pages_ = 0;
  std::set<std::string> cursors_;
};

}  // namespace

void fetch_list(Connection& connection, const ListName& list, const ListLimits& limits,
                std::shared_ptr<JobThread> jobs, std::function<void(Result<FetchedList>)> done) {
  std::make_shared<Fetch>(connection, list, limits, std::move(jobs), std::move(done))->ask({});
}

}  // namespace host::upstream
