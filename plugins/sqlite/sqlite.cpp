// sqlite: read named databases, and change those that may be changed.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <toolpost/toolpost.hpp>

#include "database.h"
#include "execute.h"
#include "query.h"
#include "roots/roots.h"

namespace {

struct Query {
  std::string database;
  std::string sql;
  std::optional<toolpost::Json> parameters;
  std::int64_t limit = 100;

  TOOLPOST_FIELDS(Query,
                  TOOLPOST_FIELD(database, "Name of a database; schema tells which there are"),
                  TOOLPOST_FIELD(sql, "One statement that reads", toolpost::max_length(100'000)),
                  TOOLPOST_FIELD(parameters, "Array for ?, or object for :name"),
                  TOOLPOST_FIELD(limit, "How many rows are told", toolpost::minimum(1),
                                 toolpost::maximum(1000)))
};

struct AskSchema {
  std::optional<std::string> database;

  TOOLPOST_FIELDS(AskSchema, TOOLPOST_FIELD(database, "Name of a database; none: which there are"))
};

struct Schema {
  std::vector<std::string> databases;
  std::vector<Table> tables;
  bool truncated = false;

  TOOLPOST_FIELDS(Schema, TOOLPOST_FIELD(databases, "Names for the argument database"),
                  TOOLPOST_FIELD(tables, "Of the database that was asked for"),
                  TOOLPOST_FIELD(truncated, "There are more tables: query sqlite_schema for them"))
};

struct Execute {
  std::string database;
  std::string sql;
  std::optional<toolpost::Json> parameters;

  TOOLPOST_FIELDS(
      Execute, TOOLPOST_FIELD(database, "Name of a database; schema tells which there are"),
      TOOLPOST_FIELD(sql, "One statement, or several that are carried out all or not at all",
                     toolpost::max_length(100'000)),
      TOOLPOST_FIELD(parameters, "Array for ?, or object for :name, of the one statement"))
};

class Sqlite {
 public:
  struct Settings {
    std::map<std::string, std::string> databases;
    std::vector<std::string> writable;
    int timeout_s = 10;
    std::int64_t max_result_bytes = 1 << 20;

    TOOLPOST_FIELDS(
        Settings,
        TOOLPOST_FIELD(databases, "Files by the names they are asked for", toolpost::defaulted),
        TOOLPOST_FIELD(writable, "Names of those that pre_execute may change", toolpost::defaulted),
        TOOLPOST_FIELD(timeout_s, "Of a statement", toolpost::minimum(1), toolpost::maximum(3600)),
        TOOLPOST_FIELD(max_result_bytes, "Of all rows of an answer", toolpost::minimum(1000),
                       toolpost::maximum(8 << 20)))
  };

  explicit Sqlite(const Settings& settings)
      : writable_(settings.writable),
        timeout_(settings.timeout_s * 1000),
        max_bytes_(static_cast<std::size_t>(settings.max_result_bytes)) {
    for (const auto& [name, path] : settings.databases)
      databases_[name] = path_of_setting(path, "/databases/" + name + " of plugin sqlite");
    for (const std::string& name : writable_) {
      if (!databases_.contains(name))
        throw toolpost::Error("setting /writable: there is no database \"" + name + "\"");
    }
  }

  Rows query(const Query& args, toolpost::Context& call) const {
    Database database(args.database, path(args.database), Access::Read, timeout_, call);
    return read_rows(database, args.sql, args.parameters,
                     {static_cast<std::size_t>(args.limit), max_bytes_, max_bytes_ / 4});
  }

  Schema schema(const AskSchema& args, toolpost::Context& call) const {
    Schema told;
    for (const auto& [name, path] : databases_) told.databases.push_back(name);
    if (!args.database) {
      if (databases_.empty()) path("");  // says how to name one
      return told;
    }
    Database database(*args.database, path(*args.database), Access::Read, timeout_, call);
    Tables found = read_tables(database);
    told.tables = std::move(found.tables);
    told.truncated = found.truncated;
    return told;
  }

  Changed pre_execute(const Execute& args, toolpost::Context& call) const {
    const std::string& file = path(args.database);
    if (const auto refused = refusal(args.database)) throw toolpost::Error(*refused);
    Database database(args.database, file, Access::Write, timeout_, call);
    return execute(database, args.sql, args.parameters);
  }

  // Nobody is asked for a yes to what cannot be done.
  toolpost::Permission check(const Execute& args) const {
    const auto refused = refusal(args.database);
    if (!refused) return {};
    return {toolpost::Behavior::deny, *refused, "not writable", false};
  }

 private:
  const std::string& path(const std::string& name) const {
    if (databases_.empty())
      throw toolpost::Error(
          "no database is named: the operator does it in config.toml, [plugin.sqlite.settings] "
          "databases = { NAME = \"/path\" }, and grants the files in [plugin.sqlite]");
    const auto found = databases_.find(name);
    if (found != databases_.end()) return found->second;
    std::string names;
    for (const auto& [each, path] : databases_) names += (names.empty() ? "" : ", ") + each;
    throw toolpost::Error("there is no database \"" + std::string(toolpost::cut(name, 100)) +
                          "\"; there are " + names);
  }

  std::optional<std::string> refusal(const std::string& name) const {
    if (std::find(writable_.begin(), writable_.end(), name) != writable_.end()) return std::nullopt;
    return "database \"" + std::string(toolpost::cut(name, 100)) +
           "\" is not writable: the operator names it in [plugin.sqlite.settings] writable";
  }

  std::map<std::string, std::string> databases_;
  std::vector<std::string> writable_;
  std::chrono::milliseconds timeout_;
  std::size_t max_bytes_;
};

}  // namespace

// A worker has 64 descriptors, and a database in WAL mode takes three of them: so few calls run at
// the same time.
TOOLPOST_PLUGIN(
    toolpost::Plugin<Sqlite>({.id = "io.toolpost.sqlite",
                              .name = "SQLite",
                              .version = TOOLPOST_VERSION,
                              .concurrent = true})
        .tool("query", "Read rows of an SQLite database by one SQL statement", &Sqlite::query,
              {.title = "Query a database",
               .read_only = true,
               .max_inflight = 10,
               .closed_world = true})
        .tool("schema", "Tell which databases there are, and the tables and columns of one",
              &Sqlite::schema,
              {.title = "Tables of a database",
               .read_only = true,
               .max_inflight = 4,
               .closed_world = true})
        .tool("pre_execute",
              "Change an SQLite database by SQL, in one transaction; a person confirms each call",
              &Sqlite::pre_execute,
              {.title = "Change a database", .exclusive = "sqlite", .closed_world = true})
        .check_permissions(&Sqlite::check))
