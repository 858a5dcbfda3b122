// Counts what is open, in total and for each principal: streams that send notifications (streams of
// subscriptions/listen, and GET streams of sessions), or requests of sessions. The functions are
// called on the I/O thread.
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
    std::unordered_map<std::string, std::size_t> of;  // number of open ones by principal
  };

 public:
  struct Limits {
    std::size_t all;
    std::size_t per_principal;
  };
  // The limit that was reached.
  enum class Full { Principal, Host };

  // While a Place exists, the limits count one for it. A Place can outlive the quota.
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
