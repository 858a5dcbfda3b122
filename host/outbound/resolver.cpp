#include "outbound/resolver.h"

#include <boost/asio/post.hpp>

#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace host::outbound {
namespace asio = boost::asio;
namespace {

// A thread without a name to look up ends after this time.
constexpr std::chrono::seconds kIdle{10};

asio::ip::address address_of(const addrinfo& found) {
  if (found.ai_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, found.ai_addr, sizeof v4);
    return asio::ip::address_v4(ntohl(v4.sin_addr.s_addr));
  }
  sockaddr_in6 v6{};
  std::memcpy(&v6, found.ai_addr, sizeof v6);
  asio::ip::address_v6::bytes_type bytes{};
  std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
  return asio::ip::address_v6(bytes, v6.sin6_scope_id);
}

// A signal is for the I/O thread, so a thread that is started meanwhile takes none.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

Result<Addresses> look_up_by_system(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0)
    return Error{ErrorKind::Io, "cannot find " + host};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  Addresses addresses;
  for (const addrinfo* each = found; each; each = each->ai_next) {
    if (each->ai_family != AF_INET && each->ai_family != AF_INET6) continue;
    const asio::ip::address address = address_of(*each);
    const auto known = std::find(addresses.begin(), addresses.end(), address);
    if (known == addresses.end()) addresses.push_back(address);
  }
  if (addresses.empty()) return Error{ErrorKind::Io, "cannot find " + host};
  return addresses;
}

struct Question {
  std::string owner;
  std::string host;
  auto operator<=>(const Question&) const = default;
};

// Shared with the threads, which may be in the system's function when the Resolver goes. They are
// detached for that reason, and touch nothing but this.
class Resolver::State : public std::enable_shared_from_this<Resolver::State> {
 public:
  State(asio::any_io_executor io, std::uint32_t threads, LookUp look_up)
      : io_(std::move(io)),
        most_(std::max(threads, 1u)),
        most_shared_(most_ - most_ / 4),
        look_up_(std::move(look_up)) {}

  void close() {
    {
      const std::lock_guard lock(mutex_);
      is_closed_ = true;
      asked_.clear();
    }
    wake_.notify_all();
    waiting_.clear();
  }

  void find(const Question& question, Done done) {
    auto& waiting = waiting_[question];
    waiting.push_back(std::move(done));
    if (waiting.size() > 1) return;
    const std::lock_guard lock(mutex_);
    asked_.push_back(question);
    if (idle_ < asked_.size() && threads_ < most_ && start_thread()) return;
    if (threads_ > 0) return wake_.notify_one();
    asked_.pop_back();
    asio::post(io_, [self = shared_from_this(), question] {
      self->answered(question, Error{ErrorKind::Unavailable, "no thread can be started now"});
    });
  }

  void give_up(const Error& why) {
    {
      const std::lock_guard lock(mutex_);
      asked_.clear();
    }
    for (auto& [question, waiting] : std::exchange(waiting_, {})) {
      for (Done& done : waiting)
        asio::post(io_, [done = std::move(done), why] { done(Result<Addresses>(why)); });
    }
  }

 private:
  bool start_thread() {
    const NoSignals none;
    try {
      std::thread([self = shared_from_this()] { self->work(); }).detach();
    } catch (const std::system_error&) {
      return false;
    }
    ++threads_;
    return true;
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      const bool is_asked =
          wake_.wait_for(lock, kIdle, [this] { return is_closed_ || next() != asked_.end(); });
      --idle_;
      if (!is_asked || is_closed_) break;
      const auto at = next();
      const Question question = std::move(*at);
      asked_.erase(at);
      ++busy_[question.owner];
      lock.unlock();
      Result<Addresses> answer = look_up_(question.host);
      lock.lock();
      if (--busy_[question.owner] == 0) busy_.erase(question.owner);
      if (is_closed_) break;
      asio::post(io_, [self = shared_from_this(), question, answer = std::move(answer)] {
        self->answered(question, answer);
      });
    }
    --threads_;
  }

  // The question that a thread takes now: the first one of the owner with the fewest busy threads.
  // end() if no question may be taken.
  std::deque<Question>::iterator next() {
    const auto busy_for = [this](const Question& question) {
      const auto at = busy_.find(question.owner);
      return at == busy_.end() ? 0u : at->second;
    };
    const auto first = std::min_element(asked_.begin(), asked_.end(),
                                        [&](const Question& left, const Question& right) {
                                          return busy_for(left) < busy_for(right);
                                        });
    if (first == asked_.end() || busy_for(*first) == 0) return first;
    std::uint32_t all = 0;
    for (const auto& [owner, busy] : busy_) all += busy;
    return all < most_shared_ ? first : asked_.end();
  }

  void answered(const Question& question, const Result<Addresses>& answer) {
    auto found = waiting_.extract(question);
    if (found.empty()) return;
    for (const Done& done : found.mapped()) done(answer);
  }

  const asio::any_io_executor io_;
  const std::uint32_t most_;
  const std::uint32_t most_shared_;  // the other threads are for owners without a busy one
  const LookUp look_up_;
  std::map<Question, std::vector<Done>> waiting_;  // I/O thread only

  std::mutex mutex_;  // guards the rest
  std::condition_variable wake_;
  std::deque<Question> asked_;
  std::map<std::string, std::uint32_t> busy_;  // threads that look a name up, by owner
  std::uint32_t threads_ = 0;
  std::uint32_t idle_ = 0;
  bool is_closed_ = false;
};

Resolver::Resolver(asio::any_io_executor io, std::uint32_t threads, LookUp look_up)
    : state_(std::make_shared<State>(std::move(io), threads, std::move(look_up))) {}

Resolver::~Resolver() {
  state_->close();
}

void Resolver::find(const std::string& host, const std::string& owner, Done done) {
  state_->find({owner, host}, std::move(done));
}

void Resolver::give_up(const Error& why) {
  state_->give_up(why);
}

}  // namespace host::outbound
