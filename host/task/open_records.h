// OpenRecords keeps in memory all records that have not ended, in total and by session.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tool/call/record.h"

namespace host::task {

using RecordPtr = std::shared_ptr<const tool::Record>;

class OpenRecords {
 public:
  // add() does nothing if the record has ended.
  void add(const RecordPtr& record);
  // remove() does nothing if OpenRecords does not contain the record.
  void remove(const tool::Record& record);

  // The functions below return the records in no particular order.
  std::vector<RecordPtr> all() const { return listed(all_); }
  std::vector<RecordPtr> of_session(std::string_view session) const;

 private:
  using ById = std::unordered_map<std::string, RecordPtr>;
  static std::vector<RecordPtr> listed(const ById& records);

  ById all_;
  std::map<std::string, ById, std::less<>> by_session_;
};

// The oldest records come first.
void sort_by_age(std::vector<RecordPtr>& records);

}  // namespace host::task
