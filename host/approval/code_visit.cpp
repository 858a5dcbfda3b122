#include "approval/code_visit.h"

#include <utility>

#include "json/json.h"

namespace host::approval {
namespace {

using boost::asio::awaitable;

// The URL is for this approval request and contains no secret: users have to log in.
tool::Question question_of_page(const store::ApprovalRecord& record, const std::string& page) {
  return {"toolpost.code." + record.id, "elicitation/create",
          protocol::url_params("\"" + record.key.tool + "\" needs a one-time code of \"" +
                                   record.key.principal +
                                   "\". The page shows what would run and takes the code, which "
                                   "belongs nowhere else.",
                               page + "/#/approvals/" + record.id)};
}

}  // namespace

CodeVisit::CodeVisit(Approvals& people, tool::Call& call, Approvals::Met met,
                     const std::string& page, Approvals::StillNeeded still_needed)
    : people_(people),
      call_(call),
      still_needed_(std::move(still_needed)),
      id_(met.record.id),
      question_(question_of_page(met.record, page)),
      met_(std::move(met)) {}

awaitable<bool> CodeVisit::wait() {
  if (refusal_) co_return false;
  auto met = co_await people_.wait(call_, *std::move(met_), still_needed_);
  met_ = std::move(met);
  const bool settled = met_ && met_->record.state != store::ApprovalState::Pending;
  co_return settled && !refusal();
}

awaitable<void> CodeVisit::answered(const std::string& answer) {
  const auto tree = json::parse(answer);
  const auto said = tree ? protocol::read_elicit_answer(tree->root()) : std::nullopt;
  if (!said || said->act == Act::Accept) co_return;
  refusal_ = said->act;
  const auto withdrawn = co_await people_.withdraw(id_);
  if (!withdrawn) met_ = withdrawn.error();
}

std::optional<CodeVisit::Act> CodeVisit::refusal() const {
  const bool answered = met_ && met_->record.state == store::ApprovalState::Approved;
  return answered ? std::nullopt : refusal_;
}

}  // namespace host::approval
