#include "upstream/connection/requests.h"

#include <charconv>
#include <chrono>

namespace host::upstream {
namespace {

constexpr std::chrono::seconds kMayStillSpeak{5};
constexpr std::chrono::seconds kMayStillAsk{60};
constexpr std::size_t kMostGivenUp = 256;

}  // namespace

RequestNumber Requests::add(Request&& request, std::function<void(RequestNumber)> on_timeout) {
  const RequestNumber number = ++last_;
  Open& open = open_[number];
  open.request = std::make_unique<Request>(std::move(request));
  if (open.request->timeout.count() > 0) {
    open.timer = std::make_unique<boost::asio::steady_timer>(io_, open.request->timeout);
    open.timer->async_wait([number, act = std::move(on_timeout)](boost::system::error_code error) {
      if (!error) act(number);
    });
  }
  return number;
}

std::unique_ptr<Request> Requests::take(RequestNumber number) {
  const auto found = open_.find(number);
  if (found == open_.end()) return nullptr;
  auto request = std::move(found->second.request);
  note_end(*request);
  open_.erase(found);
  return request;
}

std::unique_ptr<Request> Requests::take(const protocol::Id& id) {
  const auto number = number_of(id);
  return number ? take(*number) : nullptr;
}

Request* Requests::find(const protocol::Id& id) {
  const auto number = number_of(id);
  return number ? find(*number) : nullptr;
}

Request* Requests::find(RequestNumber number) {
  if (number == 0) return nullptr;
  if (const auto found = open_.find(number); found != open_.end())
    return found->second.request.get();
  for (auto& [task, followed] : tasks_) {
    if (followed.began == number) return followed.listener.get();
  }
  return nullptr;
}

void Requests::follow(const std::string& task, RequestNumber began, Request listener) {
  tasks_.insert_or_assign(task, Followed{began, std::make_unique<Request>(std::move(listener))});
}

void Requests::unfollow(const std::string& task) {
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return;
  note_end(*found->second.listener);
  tasks_.erase(found);
}

void Requests::give_up_task(const std::string& task) {
  if (const Request* const listener = find_task(task)) remember(*listener);
  unfollow(task);
}

Request* Requests::find_task(std::string_view task) {
  const auto found = tasks_.find(task);
  return found == tasks_.end() ? nullptr : found->second.listener.get();
}

protocol::Id Requests::settle_question(const protocol::Id& question) {
  for (auto& [task, followed] : tasks_) {
    if (std::erase(followed.listener->questions, question) > 0) return {};
  }
  for (auto& [number, open] : open_) {
    if (std::erase(open.request->questions, question) > 0) return std::to_string(number);
  }
  return {};
}

void Requests::note_end(const Request& ended) {
  Ends& ends = ends_[ended.method];
  if (ends.log_reader != ended.log_reader || ended.log_reader.empty()) ends.other_at = ends.at;
  ends.log_reader = ended.log_reader;
  ends.at = steady_now();
}

Request* Requests::only(std::string_view method) {
  Request* one = nullptr;
  int count = 0;
  const auto consider = [&](Request& candidate) {
    if (candidate.method != method) return;
    one = &candidate;
    ++count;
  };
  for (auto& [task, followed] : tasks_) consider(*followed.listener);
  for (auto& [number, open] : open_) consider(*open.request);
  if (count != 1) return nullptr;
  const auto ends = ends_.find(method);
  if (ends == ends_.end()) return one;
  const bool is_same = !one->log_reader.empty() && one->log_reader == ends->second.log_reader;
  const SteadyTime others = is_same ? ends->second.other_at : ends->second.at;
  return others == SteadyTime{} || steady_now() - others >= kMayStillSpeak ? one : nullptr;
}

std::unique_ptr<Request> Requests::give_up(RequestNumber number) {
  auto request = take(number);
  if (request) remember(*request);
  return request;
}

void Requests::forsake(RequestNumber number) {
  if (const auto found = open_.find(number); found != open_.end()) remember(*found->second.request);
}

void Requests::remember(const Request& given_up) {
  if (!given_up.on_question) return;
  given_up_.push_back({steady_now(), given_up.client});
  if (given_up_.size() > kMostGivenUp) given_up_.pop_front();
}

Request* Requests::only_asking(std::string& why) {
  while (!given_up_.empty() && steady_now() - given_up_.front().at > kMayStillAsk)
    given_up_.pop_front();
  Request* newest = nullptr;
  Request* unaskable = nullptr;
  bool is_one = true;
  const auto consider = [&](Request& one) {
    if (!one.on_question) {
      if (!one.client.empty()) unaskable = &one;
      return;
    }
    if (newest && newest->client != one.client) is_one = false;
    newest = &one;
  };
  for (auto& [task, followed] : tasks_) consider(*followed.listener);
  for (auto& [number, open] : open_) consider(*open.request);
  if (!newest) return unaskable;
  for (const GivenUp& one : given_up_) is_one = is_one && one.client == newest->client;
  if (is_one) return newest;
  why = "calls of several clients are in flight, and this does not say to which one it belongs";
  return nullptr;
}

std::vector<protocol::Id> Requests::drop_requests_of_session() {
  std::vector<protocol::Id> dropped;
  std::erase_if(open_, [&dropped](const auto& one) {
    const bool ends = !one.second.request->outlives_session;
    if (ends) dropped.push_back(std::to_string(one.first));
    return ends;
  });
  tasks_.clear();
  return dropped;
}

std::map<RequestNumber, std::unique_ptr<Request>> Requests::take_all() {
  std::map<RequestNumber, std::unique_ptr<Request>> all;
  for (auto& [number, open] : open_) all.emplace(number, std::move(open.request));
  open_.clear();
  tasks_.clear();
  return all;
}

std::optional<RequestNumber> Requests::number_of(const protocol::Id& id) {
  RequestNumber number = 0;
  const char* const end = id.data() + id.size();
  const auto [at, error] = std::from_chars(id.data(), end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

}  // namespace host::upstream
