#include "task/open_records.h"

#include <algorithm>
#include <tuple>

namespace host::task {

void OpenRecords::add(const RecordPtr& record) {
  if (record->is_over()) return;
  all_[record->id] = record;
  if (!record->session.empty()) by_session_[record->session][record->id] = record;
}

void OpenRecords::remove(const tool::Record& record) {
  all_.erase(record.id);
  const auto session = by_session_.find(record.session);
  if (session == by_session_.end()) return;
  session->second.erase(record.id);
  if (session->second.empty()) by_session_.erase(session);
}

std::vector<RecordPtr> OpenRecords::of_session(std::string_view session) const {
  const auto found = by_session_.find(session);
  return found == by_session_.end() ? std::vector<RecordPtr>() : listed(found->second);
}

std::vector<RecordPtr> OpenRecords::listed(const ById& records) {
  std::vector<RecordPtr> out;
  out.reserve(records.size());
  for (const auto& [id, record] : records) out.push_back(record);
  return out;
}

void sort_by_age(std::vector<RecordPtr>& records) {
  std::sort(records.begin(), records.end(), [](const RecordPtr& left, const RecordPtr& right) {
    return std::tie(left->created, left->id) < std::tie(right->created, right->id);
  });
}

}  // namespace host::task
