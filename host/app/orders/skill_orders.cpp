#include "app/orders/skill_orders.h"

#include <utility>

namespace host::app {

bool is_skill_order(const store::PluginOrder& order) {
  return order.action.starts_with("skill-");
}

boost::asio::awaitable<Result<std::string>> answer_skill_order(checkout::Checkouts& checkouts,
                                                               store::PluginOrder order) {
  const std::string name = order.plugin.substr(0, order.plugin.find_first_of("/ "));
  HOST_CO_TRY_ASSIGN(const auto repository, checkouts.find(name));
  Result<void> done = Error{ErrorKind::InvalidArgument, "this host knows no such order"};
  if (order.action == kSkillPull) done = co_await repository->pull();
  if (order.action == kSkillAccept) {
    const std::size_t space = order.plugin.rfind(' ');  // a digest has none
    std::string skill;
    if (space != std::string::npos && space > name.size())
      skill = order.plugin.substr(name.size() + 1, space - name.size() - 1);
    std::string digest = space == std::string::npos ? "" : order.plugin.substr(space + 1);
    done = co_await repository->accept(std::move(skill), std::move(digest), order.given_by);
  }
  if (!done) co_return done.error();
  co_return checkout::as_json(repository->status());
}

}  // namespace host::app
