// The class Calls manages the calls of one upstream: calls that wait for a connection, and calls in
// progress. Each call is finished exactly once, whatever happens to the connection.
//
// If the connection ends during a call, the host sends the call once more in two cases: the
// upstream cannot have begun the call, or the call only reads or is idempotent. The host never
// repeats a call that may have begun and is neither read-only nor idempotent.
//
// An upstream whose protocol version has sessions can ask the client during a call. If the upstream
// asks the client, the provider's run ends with questions (tool/definition/question.h). While a
// call is parked, its request to the upstream stays open. The next run of the same call brings the
// answers, and continues the parked request.
//
// An upstream can execute a call as a task (protocol/foreign_tasks.h). A TaskPoll follows the task
// of the upstream. If the connection ends and the upstream keeps its tasks, the next connection
// continues the call without sending it again. The functions of Calls are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/job_thread.h"
#include "tool/call/invocation.h"
#include "upstream/call/admission.h"
#include "upstream/call/call_form.h"
#include "upstream/call/opened_urls.h"
#include "upstream/call/task_poll.h"
#include "upstream/connection/connection.h"
#include "upstream/provider/upstream_provider.h"

namespace host::upstream {

struct CallSettings {
  std::string upstream;  // the upstream's name
  // `server` is digest_of_server(). A call continues after its questions only if the server that
  // asked has the same digest.
  std::string server;
  std::shared_ptr<const Secrets> secrets;  // values to hide in errors, progress and questions
  tool::Abilities passed_on;               // the kinds of questions that the operator allows
  std::size_t most_parked = 64;
  // `park_timeout` is the time for which a parked call waits for answers. park_timeout is longer
  // than the time that a client has to answer.
  std::chrono::milliseconds park_timeout{std::chrono::seconds(310)};
  // `url_timeout` is the longest time for which a call waits until its user has finished at the
  // URLs that the upstream requires (error -32042). After this time, the call continues.
  std::chrono::milliseconds url_timeout{std::chrono::seconds(30)};
  // `jobs` is the thread that makes results from long responses of the upstream. If `jobs` is null,
  // the I/O thread makes the results.
  std::shared_ptr<JobThread> jobs;
  TaskPace pace = {};
  // If a call is given up before the id of its task is known, the host waits for the id for the
  // time `unwanted_timeout`.
  std::chrono::milliseconds unwanted_timeout{std::chrono::seconds(30)};
  // modern_unwanted_timeout replaces unwanted_timeout for protocol version 2026-07-28, because
  // there only the upstream knows which call is a task. The host can wait for
  // modern_unwanted_timeout before it reports the cancellation to the upstream.
  std::chrono::milliseconds modern_unwanted_timeout{std::chrono::seconds(1)};
};

class Calls final : public CallTaker, public std::enable_shared_from_this<Calls> {
 public:
  struct Line {
    // `connection` returns the upstream's connection if the connection can send calls now;
    // otherwise null.
    std::function<Connection*()> connection;
    // `need` is called when a call waits for a connection. `need` must connect the upstream, or
    // call fail_waiting().
    std::function<void()> need;
    // Returns the reason why a tool with this definition cannot be called now. The returned reason
    // is empty if the tool can be called.
    std::function<std::string(const tool::Tool&, const std::string& name)> objection;
    // `on_idle` is called when the last call has ended.
    std::function<void()> on_idle;
    // `admission` says whether the host can send a call whose target is in a stored list.
    std::function<Admission(tool::Function, const std::string& target)> admission = nullptr;
    // See tool::Provider::catch_up(). If `catch_up` is null, calls never make the host read the
    // upstream's lists again.
    std::function<bool(std::function<void()> done)> catch_up = nullptr;
    // Returns true if a call of a tool has to wait, because the host reads the upstream's tools
    // again. Then connected() follows.
    std::function<bool()> awaits_tools = nullptr;
  };

  Calls(boost::asio::any_io_executor io, CallSettings settings, Line line)
      : io_(std::move(io)), settings_(std::move(settings)), line_(std::move(line)) {}

  void take(std::shared_ptr<tool::Invocation> invocation, const Target& target) override;
  void give_up(const std::shared_ptr<tool::Invocation>& invocation) override;
  void abandon(const std::string& state) override;
  bool catch_up(std::function<void()> done) override;

  // Sends the waiting calls, because the upstream is connected, or because one of the upstream's
  // lists was read. A call whose target is in none of the read lists continues to wait. Calls that
  // are tasks of the upstream continue.
  void connected();
  // Reports that the upstream has forgotten the session, and that requests are still open on the
  // connection. The calls with open questions fail, because the answers to the questions cannot
  // reach the upstream. Calls that were given up before the id of their task was known are
  // cancelled. The other calls continue. Call disconnected() after left().
  void left(Connection& connection, const Error& why);
  // Reports that the connection has ended, and that all its requests have failed with `why`. If
  // `keeps_tasks` is false, the calls that are tasks fail too.
  void disconnected(const Error& why, bool keeps_tasks);
  // Fails the calls that are tasks and have no connection, because no connection will follow.
  void fail_tasks(const std::string& why);
  // Fails the calls in progress because the upstream ends, and cancels the calls at the upstream.
  // The function end_running() calls `done` when the upstream has answered all requests that cancel
  // tasks, or immediately if there are none. The function also waits for earlier cancels,
  // and for tasks whose ids are not known.
  void end_running(Connection& connection, const std::string& why, std::function<void()> done);
  // Stops waiting for the ids of tasks, and cancels the calls that would become tasks.
  void forget_tasks();
  // Gives up all parked calls, because the upstream ends. The time limits of parked calls would
  // delay the end of a host that stops.
  void abandon_all();
  // Fails the waiting calls, because the upstream cannot be reached.
  void fail_waiting(const std::string& why);
  // Reports that the upstream ends permanently. The function retire() fails the calls that wait for
  // a connection or for their clients, and every later call. Calls in progress continue. The
  // function Line::on_idle is called when the last call in progress ends.
  void retire(std::string why);

  std::size_t waiting() const { return waiting_.size(); }
  std::size_t running() const { return running_.size() + opening_.size(); }
  // Returns true if a call cannot continue before the upstream is connected.
  bool need_connection() const;

 private:
  using Key = std::uint64_t;
  struct Held {
    std::shared_ptr<tool::Invocation> invocation;
    Target target;
    bool sent_again = false;
    bool may_have_acted = false;  // the upstream may have begun the call
  };
  // SentOn refers to the connection on which a call was sent, which can be an earlier connection of
  // the upstream.
  class SentOn {
   public:
    SentOn() = default;
    explicit SentOn(Connection& connection) : connection_(&connection), life_(connection.life()) {}
    // Returns null if the connection was destroyed.
    Connection* get() const {
      const auto life = life_.lock();
      return life && *life ? connection_ : nullptr;
    }

   private:
    Connection* connection_ = nullptr;
    std::weak_ptr<const bool> life_;
  };
  struct Asked {
    protocol::Id id;  // id of the upstream's request; empty: the question comes from a task
    std::string key;  // if a task asks: the upstream's key for the question
    tool::Question question;
    bool is_shown = false;  // the question was sent to the client
  };
  struct Running {
    Held held;  // while the call is parked, the invocation in `held` has ended
    RequestNumber number = 0;
    SentOn sent_on;
    std::list<Asked> asked;  // questions that wait for an answer
    std::size_t questions = 0;
    std::string handle;            // `state` for the parked call, with kParked; empty: not parked
    std::shared_ptr<Cancel> over;  // while the call is parked: Round::over of its questions
    std::unique_ptr<boost::asio::steady_timer> limit;  // when it ends, the parked call is given up
    bool is_lost = false;  // its connection has ended, and its next run sends it again
    // `late` is the result of a call that ended while it was parked.
    std::optional<Result<tool::CallResult>> late;
    bool may_be_task = false;        // the upstream may make a task of the call
    std::unique_ptr<TaskPoll> task;  // null: the call is not a task
    bool has_progress = false;       // the upstream itself has sent progress
    bool has_answer = false;         // the answer came, and a JobThread makes the result
    double steps = 0;                // number of status messages that were passed on as progress
  };
  using Runnings = std::map<Key, Running>;
  // A call whose user is busy at the URLs that the upstream requires.
  struct Opening {
    Held held;
    std::size_t unfinished = 0;                        // the number of URLs
    std::unique_ptr<boost::asio::steady_timer> limit;  // when it ends, the call continues
    std::vector<Cancel::Registration> ends;
  };
  // A Cancelling calls `done` when its last owner releases it. The owners of a Cancelling are
  // unanswered requests that cancel a task, and requests of calls that were given up (Unwanted).
  struct Cancelling {
    std::function<void()> done;  // null: nobody waits
    Cancelling() = default;
    ~Cancelling() {
      if (done) done();
    }
    Cancelling(const Cancelling&) = delete;
    Cancelling& operator=(const Cancelling&) = delete;
  };
  struct Unwanted {
    RequestNumber number = 0;
    std::unique_ptr<boost::asio::steady_timer> limit;
    std::shared_ptr<Cancelling> pending;
  };

  bool takes_up(const std::shared_ptr<tool::Invocation>& invocation, const Target& target);
  void take_up(Key key, Running& running, std::shared_ptr<tool::Invocation> invocation);
  bool has_asked(std::string_view state) const;
  void send_or_wait(Held held);
  bool waits_for_urls(Held& held);
  void go_on_after_urls(const Held& held);
  void send(Held held, Connection& connection);
  bool is_admitted(Held& held);
  Request request_of(const Held& held, Key key);
  void add_listeners(const tool::Invocation& invocation, Key key, Request& request);
  tool::Abilities abilities_of(const tool::Invocation& call) const;
  tool::Invocation* invocation_of(Key key);
  void take_progress(Key key, const protocol::ForeignProgress& progress);
  void take_answer(Key key, Answer&& answer);
  void settle(Key key, Answer&& answer);
  void convert(Key key, Answer answer);
  void take_result(Key key, Result<tool::CallResult> result);
  Result<tool::CallResult> refused(const tool::Invocation& call, Answer answer);
  std::string lacking_at_client(const tool::Invocation& call,
                                const tool::Abilities& required) const;
  static bool is_sent_again(const Held& held, const Answer& answer);
  void take_failure(Held held, const Answer& answer, const Connection* failed);
  void take_question(Key key, const protocol::Id& id, tool::Question question);
  std::string objection_to(const Running& running, std::span<const tool::Question> questions);
  std::string objection_to(const tool::Invocation& call, const tool::Round& round) const;
  void park(Key key, Running& running);
  void answer_task(Running& running);
  void keep_late(Running& running, Result<tool::CallResult> result);
  void send_lost(Key key, Running& running);
  void give_up_parked(Key key);
  bool make_room_for(const Running& running);
  Runnings::iterator parked(const std::string& handle);
  void stop(Key key, const Running& running, std::string_view reason);

  void agree_to_task(Running& running, const Connection& connection, Request& request) const;
  bool begin_task(Key key, const Answer& answer);
  void follow_task(Key key, Running& running, protocol::ForeignTask task);
  void lose_task(std::string_view id);
  std::string fault_of(const Running& running, const Result<protocol::ForeignTask>& task) const;
  bool is_followed(std::string_view task) const;
  void take_status(Key key, const std::string& message);
  void take_task_questions(Key key, std::vector<tool::Question> questions);
  void keep_unwanted(Key key, RequestNumber number, Connection& connection);
  void forget_unwanted(Key key);
  void drop_unwanted(Key key, const Answer& answer);
  std::shared_ptr<Cancelling> cancelling();
  Connection* line_to_cancel() const { return ending_ ? ending_ : line_.connection(); }
  void cancel_task(const std::string& task, Connection* connection);
  void cancel_tasks_of_before(Connection& connection);

  void end(const Held& held, Result<tool::CallResult> result);
  Result<tool::CallResult> failure(const tool::Invocation& call, const std::string& why) const;
  tool::Question shown(tool::Question question) const {
    return shown_question(std::move(question), settings_.upstream, *settings_.secrets);
  }
  void fail(const Held& held, const std::string& why);
  void fail_continuing(Held held, const std::string& why);
  void fail_retired(Held held);
  void fail_asking(const Held& held, const tool::Round& round, const std::string& objection);
  void tell_if_idle();

  const boost::asio::any_io_executor io_;
  const CallSettings settings_;
  const Line line_;
  std::list<Held> waiting_;
  std::map<Key, Opening> opening_;
  OpenedUrls urls_{settings_.server};
  Runnings running_;
  // `unwanted_` contains requests of calls that were given up before their task's id was known.
  // Keys: the calls' keys.
  std::map<Key, Unwanted> unwanted_;
  // `uncancelled_` contains the ids of tasks that are cancelled on the next connection.
  std::deque<std::string> uncancelled_;
  std::weak_ptr<Cancelling> cancelling_;
  // `ending_` is set while the upstream ends: then the connection only cancels calls, and sends no
  // new calls.
  Connection* ending_ = nullptr;
  Key last_key_ = 0;
  std::string retired_;  // the error of all new calls; empty: the upstream is not retired
  // retire() requests `no_more_rounds_`, the Round::over of all rounds that have no other one.
  const std::shared_ptr<Cancel> no_more_rounds_ = std::make_shared<Cancel>();
};

}  // namespace host::upstream
