// Counts open streams or open requests, in total and for each principal. Only streams that send
// notifications count: streams of subscriptions/listen, and GET streams of sessions. The functions
// of this header are called on the I/O thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>

namespace host::mcp {

class PrincipalQuota {
  struct Counts {
    std::size_t all = 0;
    std::unordered_map<std::string, std::size_t> of;  // the count of each principal, by name
  };

 public:
  struct Limits {
    std::size_t all;
    std::size_t per_principal;
  };
  // The limit that refuses a stream or request.
  enum class Full { Principal, Host };

  // A Place object counts as one open stream or request while it exists. A Place can outlive the
  // PrincipalQuota.
  class [[nodiscard]] Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept
        : counts_(std::exchange(other.counts_, nullptr)), principal_(std::move(other.principal_)) {}
    Place& operator=(Place&& other) noexcept;
    ~Place() { reset(); }
    void reset();

   private:
    friend class PrincipalQuota;
    Place(std::shared_ptr<Counts> counts, std::string principal);
    std::shared_ptr<Counts> counts_;
    std::string principal_;
  };

  std::variant<Place, Full> take(const std::string& principal, const Limits& limits);

 private:
  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace host::mcp
