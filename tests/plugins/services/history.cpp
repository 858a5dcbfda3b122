// tp.history/1: what was called before in this session.
#include <string>

#include "services.h"

namespace {

using toolpost::Context;

struct Wanted {
  std::uint32_t most = 100;
  std::uint64_t before = 0;
  TOOLPOST_FIELDS(Wanted, TOOLPOST_FIELD(most, "", toolpost::defaulted),
                  TOOLPOST_FIELD(before, "", toolpost::defaulted))
};

std::string read_history(const Wanted& wanted, Context& call) {
  try {
    const toolpost::HistoryPage page = call.history().list(wanted.most, wanted.before);
    return "{\"calls\":" + toolpost::to_json(page.calls) +
           ",\"more\":" + (page.more ? "true" : "false") + "}";
  } catch (const toolpost::ServiceError& error) {
    return std::to_string(error.status()) + " " + error.what();
  }
}

}  // namespace

Services with_history(Services plugin) {
  return std::move(plugin).tool("history", "Reads what was called before", read_history,
                                {.read_only = true});
}
