#include "execute.h"

#include "parameters.h"

namespace {

// Rolled back unless it was committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) {
    database.run("BEGIN IMMEDIATE");
    database.restrict_it();
  }
  ~Transaction() {
    if (done_) return;
    database_.lift_restrictions();
    // Not stopped by what stopped the statement: time that is over, or a cancel.
    ::sqlite3_progress_handler(database_.handle(), 0, nullptr, nullptr);
    ::sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit() {
    database_.lift_restrictions();
    database_.run("COMMIT");
    done_ = true;
  }

 private:
  Database& database_;
  bool done_ = false;
};

}  // namespace

Changed execute(Database& database, std::string_view sql,
                const std::optional<toolpost::Json>& parameters) {
  Transaction transaction(database);
  const std::int64_t before = ::sqlite3_total_changes64(database.handle());
  Changed changed;
  while (const Statement statement = database.prepare(sql)) {
    if (parameters && changed.statements > 0)
      throw toolpost::Error("sql has several statements: parameters go with one alone");
    bind_parameters(statement, parameters ? parameters->text : "[]");
    while (database.step(statement)) {  // rows of RETURNING are not told
    }
    ++changed.statements;
  }
  if (changed.statements == 0) throw toolpost::Error("sql is empty: give a statement");
  transaction.commit();
  changed.changes = ::sqlite3_total_changes64(database.handle()) - before;
  changed.last_row_id = ::sqlite3_last_insert_rowid(database.handle());
  return changed;
}
