// SQLite as little as this plugin needs of it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <variant>

#include <sqlite3.h>

using Value = std::variant<std::int64_t, std::string>;

class Row;

// For one thread at a time. Throws std::runtime_error for what is no fault of a caller.
class Store {
 public:
  // path: a file, made where it is missing, or ":memory:".
  explicit Store(const std::string& path);

  // Runs one statement, or (without values) a script.
  void run(const std::string& sql, std::initializer_list<Value> values = {});
  void script(const char* sql);

  // The statement's rows, by row.next().
  Row rows(const std::string& sql, std::initializer_list<Value> values = {});

  // The first column of the first row; otherwise where there is none.
  std::int64_t number(const std::string& sql, std::initializer_list<Value> values,
                      std::int64_t otherwise);

  bool in_transaction() const { return ::sqlite3_get_autocommit(database_.get()) == 0; }

 private:
  friend class Row;
  struct Close {
    void operator()(sqlite3* it) const { ::sqlite3_close_v2(it); }
  };
  std::unique_ptr<sqlite3, Close> database_;
};

class Row {
 public:
  bool next();
  std::int64_t number(int column) const;
  std::string text(int column) const;

 private:
  friend class Store;
  Row(Store& store, const std::string& sql, std::initializer_list<Value> values);
  struct Close {
    void operator()(sqlite3_stmt* it) const { ::sqlite3_finalize(it); }
  };
  Store& store_;
  std::unique_ptr<sqlite3_stmt, Close> statement_;
};

// All or nothing: rolled back unless committed.
class Transaction {
 public:
  explicit Transaction(Store& store) : store_(store) { store_.run("BEGIN IMMEDIATE"); }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() { store_.run("COMMIT"); }

 private:
  Store& store_;
};
