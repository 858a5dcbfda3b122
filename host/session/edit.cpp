#include "session/edit.h"

#include <utility>

namespace host::session {
namespace {

constexpr int kMostClashes = 5;

}  // namespace

awaitable<Result<Edited>> edit(std::shared_ptr<Sessions> sessions, std::string id, Edit edit) {
  for (int clashes = 0; clashes <= kMostClashes; ++clashes) {
    const SessionPtr before = sessions->find(id);
    if (!before) break;
    Settings settings = before->settings;
    HOST_CO_TRY_ASSIGN(const bool changes, edit(*before, settings));
    if (!changes) co_return Edited{before, before};
    HOST_CO_TRY_ASSIGN(Sessions::Changed changed,
                       co_await sessions->change(id, before->version, std::move(settings)));
    if (!changed.session) break;
    if (!changed.clash) co_return Edited{before, std::move(changed.session)};
    if (clashes < kMostClashes) continue;
    co_return Error{ErrorKind::Unavailable,
                    "The session was changed by others at the same time. Nothing was changed. "
                    "Call again."};
  }
  co_return Error{ErrorKind::NotFound, "The session has ended. Nothing was changed."};
}

}  // namespace host::session
