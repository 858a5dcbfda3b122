#include "checkout/checkouts.h"

#include <string_view>
#include <utility>

#include "base/text/nearest.h"

namespace host::checkout {

namespace asio = boost::asio;

Checkouts::Made Checkouts::make(const std::vector<config::SkillRepository>& settings) {
  Made made;
  for (const config::SkillRepository& one : settings) {
    auto repository = std::make_unique<skill::PinnedRepository>(source_of(one));
    made.pinned.push_back(repository.get());
    made.repositories.push_back(std::move(repository));
  }
  return made;
}

Checkouts::Checkouts(asio::any_io_executor io, const config::Config& config,
                     const std::vector<skill::PinnedRepository*>& pinned,
                     std::shared_ptr<store::Desk> desk, const std::filesystem::path& keeper,
                     std::function<void(const std::string& source)> on_served,
                     decltype(Checkout::Surroundings::on_own_pull) on_own_pull) {
  for (std::size_t i = 0; i < pinned.size(); ++i) {
    const config::SkillRepository& one = config.skill_repositories[i];
    Checkout::Surroundings around{
        io,
        desk,
        std::filesystem::path(config.store.file.string() + ".skills") / one.name,
        keeper,
        config.skills.live,
        on_served,
        on_own_pull};
    all_.push_back(std::make_shared<Checkout>(one, std::move(around), *pinned[i]));
  }
}

asio::awaitable<void> Checkouts::start(Pulls pulls) {
  for (const auto& one : all_) co_await one->start(pulls);
}

asio::awaitable<void> Checkouts::stop() {
  for (const auto& one : all_) one->cancel();
  for (const auto& one : all_) co_await one->stop();
}

std::vector<Status> Checkouts::status() const {
  std::vector<Status> out;
  for (const auto& one : all_) out.push_back(one->status());
  return out;
}

Result<std::shared_ptr<Checkout>> Checkouts::find(const std::string& name) const {
  std::vector<std::string_view> names;
  for (const auto& one : all_) {
    if (one->name() == name) return one;
    names.push_back(one->name());
  }
  return Error{
      ErrorKind::NotFound,
      "no repository of skills is named \"" + name + "\": " +
          (names.empty() ? "there is no [[skill_repository]]; a host reads a new one when it starts"
                         : suggest(name, names) + "; a host reads a new one when it starts")};
}

}  // namespace host::checkout
