#include <chrono>
#include <ctime>
#include <optional>
#include <thread>

#include <gmock/gmock.h>
#include <sqlite3.h>

#include "unit/plugins/plugin_test.h"

namespace {

using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

#if defined(__SANITIZE_ADDRESS__)
// Its strict_string_checks let each strcspn() within a LIKE read the whole text.
constexpr int kLettersToSearch = 60'000;
#else
constexpr int kLettersToSearch = 4'000'000;
#endif

// What SQLite itself returns.
std::string plain_answer(const std::string& sql) {
  sqlite3* plain = nullptr;
  EXPECT_EQ(sqlite3_open(":memory:", &plain), SQLITE_OK);
  sqlite3_stmt* row = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(plain, sql.c_str(), -1, &row, nullptr), SQLITE_OK) << sql;
  EXPECT_EQ(sqlite3_step(row), SQLITE_ROW);
  const std::string answer = reinterpret_cast<const char*>(sqlite3_column_text(row, 0));
  sqlite3_finalize(row);
  sqlite3_close(plain);
  return answer;
}

// Of this thread, so that a busy machine changes nothing.
double thread_cpu_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

std::string many_of(const std::string& column, int times) {
  std::string columns = column;
  for (int i = 1; i < times; ++i) columns += "," + column;
  return columns;
}

class Sqlite : public testing::Test {
 protected:
  Sqlite() {
    make("shop.db",
         "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL DEFAULT 1.5);"
         "INSERT INTO item VALUES (1,'bolt',0.25),(2,'nut',NULL),(3,'gear',12);"
         "CREATE VIEW cheap AS SELECT name FROM item WHERE price < 1;");
    plugin_.emplace(library("sqlite"), settings());
  }

  void make(const std::string& file, const char* sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(folder_.at(file).c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
  }
  std::string settings(const std::string& more = "") const {
    return R"({"databases":{"shop":)" + json_text(folder_.at("shop.db")) + R"(,"log":)" +
           json_text(folder_.at("log.db")) + R"(},"writable":["shop"])" + more + "}";
  }
  std::string query(const std::string& sql, const std::string& more = "") {
    return told(*plugin_, "query", R"({"database":"shop","sql":)" + json_text(sql) + more + "}");
  }
  std::string execute(const std::string& sql, const std::string& more = "") {
    return told(*plugin_, "pre_execute",
                R"({"database":"shop","sql":)" + json_text(sql) + more + "}");
  }
  std::string names() {
    return query("SELECT group_concat(name) FROM (SELECT name FROM item ORDER BY id)");
  }

  Folder folder_;
  std::optional<fake::Plugin> plugin_;
};

TEST_F(Sqlite, TellsRowsInTheirTypes) {
  EXPECT_EQ(query("SELECT * FROM item ORDER BY id; -- all"),
            R"({"columns":["id","name","price"],"rows":[[1,"bolt",0.25],[2,"nut",null],)"
            R"([3,"gear",12]],"truncated":false})");
  EXPECT_EQ(
      query("SELECT 9007199254740993, 1e400, x'00ff', CAST(x'61ff' AS TEXT), char(1) || '\"'"),
      "{\"columns\":[\"9007199254740993\",\"1e400\",\"x'00ff'\",\"CAST(x'61ff' AS TEXT)\","
      "\"char(1) || '\\\"'\"],\"rows\":[[\"9007199254740993\",\"Infinity\",\"x'00ff'\","
      "\"a\xef\xbf\xbd\",\"\\u0001\\\"\"]],\"truncated\":false}");
}

TEST_F(Sqlite, TakesParametersByPlaceAndByName) {
  const std::string two = R"("rows":[["nut"]])";
  EXPECT_NE(query("SELECT name FROM item WHERE id = ?", R"(,"parameters":[2])").find(two),
            std::string::npos);
  EXPECT_NE(query("SELECT name FROM item WHERE id = :id", R"(,"parameters":{"id":2})").find(two),
            std::string::npos);
  EXPECT_NE(
      query("SELECT ?, typeof(?), ?, typeof(?)", R"(,"parameters":["a'b\u00e4",1.5,true,null])")
          .find("[[\"a'b\u00e4\",\"real\",1,\"null\"]]"),
      std::string::npos);
  const auto fails = [&](const std::string& sql, const std::string& parameters) {
    return query(sql, R"(,"parameters":)" + parameters).find("error: parameters") !=
           std::string::npos;
  };
  EXPECT_TRUE(fails("SELECT ?", "[]"));
  EXPECT_TRUE(fails("SELECT ?", "[1,2]"));
  EXPECT_TRUE(fails("SELECT :a", R"({"b":1})"));
  EXPECT_TRUE(fails("SELECT :a, :b", R"({"b":1})"));
  EXPECT_TRUE(fails("SELECT 1", "7"));
  EXPECT_NE(query("SELECT ?").find("error: parameters: no value for ? number 1"),
            std::string::npos);
}

TEST_F(Sqlite, AQueryChangesNothingAndReachesNoOtherFile) {
  make("other.db", "CREATE TABLE secret(x)");
  const std::string other = folder_.at("other.db");
  const std::string made = folder_.at("made");
  for (const std::string& sql : {std::string("DELETE FROM item"),
                                 std::string("INSERT INTO item VALUES (9,'x',1)"),
                                 std::string("INSERT INTO item VALUES (9,'x',1) RETURNING id"),
                                 std::string("WITH d AS (SELECT 1) UPDATE item SET name='x'"),
                                 std::string("CREATE TEMP TABLE t(x)"),
                                 std::string("DROP TABLE item"),
                                 std::string("UPDATE sqlite_schema SET sql='x'"),
                                 "ATTACH '" + other + "' AS o",
                                 "ATTACH '" + made + "' AS o",
                                 "VACUUM INTO '" + made + "'",
                                 std::string("VACUUM"),
                                 std::string("PRAGMA writable_schema=1"),
                                 std::string("PRAGMA user_version=7"),
                                 std::string("PRAGMA user_version(7)"),
                                 std::string("PRAGMA journal_mode=DELETE"),
                                 std::string("PRAGMA temp_store_directory='/'"),
                                 std::string("PRAGMA query_only=0"),
                                 std::string("BEGIN"),
                                 std::string("SAVEPOINT s"),
                                 std::string("SELECT load_extension('x')"),
                                 std::string("SELECT readfile('/etc/passwd')"),
                                 "SELECT writefile('" + made + "','x')",
                                 std::string("SELECT 1; DELETE FROM item"),
                                 std::string("SELECT 1; SELECT 2"),
                                 std::string(""),
                                 std::string("-- nothing")}) {
    EXPECT_EQ(query(sql).find("error: "), 0u) << sql << " -> " << query(sql);
  }
  EXPECT_NE(names().find("bolt,nut,gear"), std::string::npos);
  EXPECT_NE(query("PRAGMA user_version").find("[[0]]"), std::string::npos);
  EXPECT_FALSE(fs::exists(made));
}

// SQLite takes a NUL for the end of the text, and never reaches what follows it.
TEST_F(Sqlite, ANulCharacterInSqlIsAnErrorAtOnce) {
  for (const char* tool : {"query", "pre_execute"}) {
    for (const char* sql : {R"(SELECT 1\u0000)", R"(\u0000)", R"(\u0000SELECT 1)",
                            R"(SELECT 1;\u0000x)", R"(DELETE FROM item;\u0000)"}) {
      const std::string answer =
          told(*plugin_, tool, R"({"database":"shop","sql":")" + std::string(sql) + R"("})");
      EXPECT_THAT(answer, HasSubstr("error: sql has a NUL character")) << tool << " " << sql;
    }
  }
  EXPECT_THAT(names(), HasSubstr("bolt,nut,gear"));
}

TEST_F(Sqlite, PragmasThatOnlyTellAreAllowed) {
  EXPECT_NE(query("PRAGMA table_info(item)").find("\"price\""), std::string::npos);
  EXPECT_NE(query("SELECT name FROM pragma_table_list").find("\"item\""), std::string::npos);
  EXPECT_NE(query("SELECT value FROM json_each('[7]')").find("[[7]]"), std::string::npos);
  EXPECT_NE(query("EXPLAIN QUERY PLAN SELECT * FROM item").find("SCAN item"), std::string::npos);
}

TEST_F(Sqlite, RowsAndBytesAreBounded) {
  const std::string many =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n";
  const std::string five = query(many, R"(,"limit":5)");
  EXPECT_NE(five.find("[[1],[2],[3],[4],[5]],\"truncated\":true"), std::string::npos) << five;
  fake::Plugin small(library("sqlite"), settings(R"(,"max_result_bytes":1000)"));
  const std::string wide = told(
      small, "query",
      R"({"database":"shop","sql":"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) )"
      R"(SELECT i, printf('%.900c','x'), printf('%.900c','y') FROM n","limit":1000})");
  EXPECT_NE(wide.find("\"truncated\":true"), std::string::npos);
  EXPECT_LT(wide.size(), 3000u);
  EXPECT_NE(wide.find("... (900 bytes)"), std::string::npos);
}

constexpr const char* kEndless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n";

TEST_F(Sqlite, AnEndlessStatementEndsAtItsTime) {
  fake::Plugin quick(library("sqlite"), settings(R"(,"timeout_s":1)"));
  const auto start = steady_clock::now();
  EXPECT_NE(told(quick, "query", R"({"database":"shop","sql":)" + json_text(kEndless) + "}")
                .find("took longer than 1 s"),
            std::string::npos);
  EXPECT_LT(steady_clock::now() - start, 8s);
}

// SQLite's own functions would take minutes to days, and see no timeout.
TEST_F(Sqlite, NoFunctionIsSlowWithLongArguments) {
  const std::string words = "printf('%.*c',16000000,'a')";
  const std::string other = "(printf('%.*c',8000000,'a')||'b')";
  const auto length = [&](const std::string& text) { return query("SELECT length(" + text + ")"); };
  EXPECT_THAT(length("trim(" + words + ",printf('%.*c',1000000,'b')||'a')"), HasSubstr("[[0]]"));
  EXPECT_THAT(query("SELECT instr(" + words + "," + other + ")"), HasSubstr("[[0]]"));
  EXPECT_THAT(length("replace(" + words + "," + other + ",'')"), HasSubstr("[[16000000]]"));
  EXPECT_THAT(length("replace(" + words + ",'a'," + other + ")"), HasSubstr("too big"));
  const std::string json = R"(('{"'||printf('%.*c',100000,'a')||'":1}'))";
  EXPECT_THAT(length("json_patch(" + json + "," + json + ")"), HasSubstr("too long"));
  EXPECT_THAT(query("SELECT 'a' LIKE printf('%.*c',101,'a')"), HasSubstr("too complex"));
}

// None of these statements has a loop, in which SQLite itself would look at the time.
TEST_F(Sqlite, AStatementOfManySlowFunctionsEndsInTime) {
  plugin_.emplace(library("sqlite"), settings(R"(,"timeout_s":1)"));
  const std::string values =
      "WITH t(x,p,g) AS MATERIALIZED (SELECT printf('%.*c'," + std::to_string(kLettersToSearch) +
      ",'a'),"
      "'%'||printf('%.*c',97,'a')||'b','*'||printf('%.*c',97,'a')||'b') SELECT ";
  for (const char* call : {"x LIKE p", "x LIKE p ESCAPE '!'", "x GLOB g"}) {
    const double before = thread_cpu_seconds();
    EXPECT_THAT(query(values + many_of(call, 60) + " FROM t"), HasSubstr("took longer than 1 s"))
        << call;
    EXPECT_LT(thread_cpu_seconds() - before, 8) << call;
  }
}

TEST_F(Sqlite, TheMoreAStatementDoesTheShorterItsValuesAre) {
  plugin_.emplace(library("sqlite"), settings(R"(,"timeout_s":1000)"));  // size ends them, not time
  const std::string values =
      "WITH t(x) AS MATERIALIZED (SELECT printf('%.*c',1000000,'a')) SELECT ";
  EXPECT_THAT(query(values + many_of("length(x||'b')", 1000) + " FROM t"), HasSubstr("1000001"));
  EXPECT_THAT(query(values + many_of("length(x||x)", 1000) + " FROM t"), HasSubstr("too big"));
  EXPECT_THAT(query(values + many_of("length(x||x)", 20) + " FROM t"), HasSubstr("2000000"));
  std::string doubling = "SELECT x a FROM t";
  for (int i = 0; i < 5; ++i)
    doubling = "SELECT a||a||a||a||a||a||a||a||a||a a FROM (" + doubling + ")";
  EXPECT_THAT(query("WITH t(x) AS MATERIALIZED (SELECT 'a') " + doubling),
              HasSubstr("out of memory"));
}

// SQLite copies each of them for each use before it looks at anything.
TEST_F(Sqlite, ManyNestedWithsEndWhereMemoryIsBounded) {
  EXPECT_THAT(query("SELECT 1"), HasSubstr("[[1]]"));
  const sqlite3_int64 most = sqlite3_hard_heap_limit64(-1);
  EXPECT_EQ(most, 512 << 20);
  std::string nested = "WITH t0(x) AS (SELECT 1)";
  for (int i = 1; i <= 40; ++i) {
    const std::string before = "t" + std::to_string(i - 1);
    nested += ",t" + std::to_string(i) + " AS (SELECT a.x FROM " + before + " a," + before + " b)";
  }
  sqlite3_hard_heap_limit64(32 << 20);
  EXPECT_THAT(query(nested + " SELECT x FROM t16"), HasSubstr("out of memory: the statement"));
  EXPECT_THAT(query(nested + " SELECT x FROM t40"), HasSubstr("out of memory: the statement"));
  EXPECT_THAT(query(nested + " SELECT x FROM t8"), HasSubstr("[[1]]"));
  sqlite3_hard_heap_limit64(most);
}

TEST_F(Sqlite, FunctionsReturnWhatThoseOfSqliteReturn) {
  const std::string values =
      "WITH v(x) AS (VALUES (NULL),(''),('a'),('ba'),('aabaa'),(12),(2.5),('\u00e4'),"
      "('b\u00e4a\u00e4'),(x'6162'),(x'61ff62'),(x'ff'),(x''),(x'c3'),(char(0)||'a'),('  a '),"
      "(' '),('\U0001F600 \u20ac'),(CAST(x'a461' AS TEXT)),(CAST(x'ff61ff' AS TEXT)),('{}'),"
      "('{\"a\":1,\"b\":{\"c\":2}}'),('{\"a\":null,\"b\":{\"d\":[3]}}'),('[1]')) ";
  const auto same = [&](const std::string& call, const std::string& from) {
    const std::string sql =
        values + "SELECT group_concat(typeof(" + call + ")||hex(" + call + ")) FROM " + from;
    EXPECT_THAT(query(sql), HasSubstr("[[\"" + plain_answer(sql) + "\"]]")) << call;
  };
  for (const char* call : {"trim(a.x)", "ltrim(a.x)", "rtrim(a.x)"}) same(call, "v a");
  for (const char* call :
       {"trim(a.x,b.x)", "ltrim(a.x,b.x)", "rtrim(a.x,b.x)", "instr(a.x,b.x)",
        "replace(a.x,b.x,'xy')", "replace('aabaa',a.x,b.x)", "(a.x LIKE b.x)", "(a.x GLOB b.x)",
        "(a.x LIKE b.x||'%')", "(a.x LIKE '%'||b.x||'_' ESCAPE '%')", "(a.x GLOB '[a-b]*'||b.x)",
        "(a.x NOT LIKE '_'||b.x ESCAPE 'a')"})
    same(call, "v a, v b");
  const std::string json = "v a, v b WHERE coalesce(json_valid(a.x) AND json_valid(b.x), 1)";
  for (const char* call : {"json_patch(a.x,b.x)", "json_array(json_patch(a.x,b.x))"})
    same(call, json);
  EXPECT_THAT(query("SELECT json_patch('{', '{}')"), HasSubstr("malformed JSON"));
}

TEST_F(Sqlite, ACancelEndsAStatementAndUndoesIt) {
  fake::Call call;
  std::thread cancel([&] {
    std::this_thread::sleep_for(50ms);
    call.cancelled = true;
  });
  const tp_status status = plugin_->call(
      "pre_execute",
      R"({"database":"shop","sql":"DELETE FROM item; INSERT INTO item(name) )"
      R"(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n"})",
      call);
  cancel.join();
  EXPECT_EQ(status, TP_E_CANCELLED);
  EXPECT_NE(names().find("bolt,nut,gear"), std::string::npos);
}

TEST_F(Sqlite, ExecutesOneStatementOrSeveralAllOrNothing) {
  EXPECT_EQ(execute("INSERT INTO item(name) VALUES (?)", R"(,"parameters":["cog"])"),
            R"({"changes":1,"last_row_id":4,"statements":1})");
  EXPECT_EQ(
      execute(
          "DELETE FROM item WHERE id=4; UPDATE item SET price=2; CREATE INDEX i ON item(name);"),
      R"({"changes":4,"last_row_id":0,"statements":3})");
  EXPECT_NE(execute("DELETE FROM item; INSERT INTO item(name) VALUES (NULL)").find("NOT NULL"),
            std::string::npos);
  EXPECT_NE(execute("DELETE FROM item; SELECT ?", R"(,"parameters":[1])").find("error: "),
            std::string::npos);
  EXPECT_NE(execute("  -- nothing").find("error: sql is empty"), std::string::npos);
  EXPECT_NE(names().find("bolt,nut,gear"), std::string::npos);
}

TEST_F(Sqlite, ExecutingReachesNoOtherFileAndHoldsItsTransaction) {
  const std::string made = folder_.at("made");
  for (const std::string& sql :
       {"ATTACH '" + made + "' AS o", "VACUUM INTO '" + made + "'", std::string("VACUUM"),
        std::string("DELETE FROM item; COMMIT; SELECT 1"), std::string("ROLLBACK"),
        std::string("END"), std::string("SAVEPOINT s"), std::string("PRAGMA writable_schema=1"),
        std::string("PRAGMA journal_mode=WAL"), std::string("UPDATE sqlite_schema SET sql='x'"),
        std::string("CREATE VIRTUAL TABLE v USING fts5(x)"),
        std::string("SELECT load_extension('x')")}) {
    EXPECT_EQ(execute(sql).find("error: "), 0u) << sql << " -> " << execute(sql);
  }
  EXPECT_NE(names().find("bolt,nut,gear"), std::string::npos);
  EXPECT_FALSE(fs::exists(made));
}

TEST_F(Sqlite, OnlyNamedDatabasesAreOpenedAndOnlyWritableOnesChanged) {
  EXPECT_NE(told(*plugin_, "query", R"({"database":"/etc/passwd","sql":"SELECT 1"})")
                .find("there is no database \"/etc/passwd\"; there are log, shop"),
            std::string::npos);
  EXPECT_NE(told(*plugin_, "query", R"({"database":"log","sql":"SELECT 1"})")
                .find("database \"log\": unable to open"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(folder_.at("log.db"))) << "a database that was not there was made";
  const std::string write = R"json({"database":"log","sql":"CREATE TABLE t(x)"})json";
  EXPECT_NE(told(*plugin_, "pre_execute", write).find("is not writable"), std::string::npos);
  EXPECT_NE(judged(*plugin_, "pre_execute", write).find(R"("behavior":"deny")"), std::string::npos);
  folder_.write("log.db", "this is no database at all, though it is long enough for a header ....");
  EXPECT_NE(told(*plugin_, "query", R"({"database":"log","sql":"SELECT * FROM t"})")
                .find("not a database"),
            std::string::npos);
  fake::Plugin bare(library("sqlite"), "{}");
  for (const char* tool : {"query", "pre_execute"})
    EXPECT_NE(told(bare, tool, R"({"database":"x","sql":"SELECT 1"})")
                  .find("[plugin.sqlite.settings] databases"),
              std::string::npos);
  EXPECT_NE(told(bare, "schema", "{}").find("[plugin.sqlite.settings]"), std::string::npos);
  fake::Plugin wrong(library("sqlite"), R"({"writable":["x"]})");
  EXPECT_EQ(wrong.created(), TP_E_INVALID);
}

TEST_F(Sqlite, TellsItsTables) {
  EXPECT_EQ(told(*plugin_, "schema", "{}"),
            R"({"databases":["log","shop"],"tables":[],"truncated":false})");
  const std::string told_ = told(*plugin_, "schema", R"({"database":"shop"})");
  EXPECT_NE(told_.find(R"({"name":"cheap","kind":"view","columns":[{"name":"name","type":"TEXT",)"),
            std::string::npos)
      << told_;
  EXPECT_NE(told_.find(R"({"name":"price","type":"REAL","not_null":false,"primary_key":false,)"
                       R"("default_value":"1.5"})"),
            std::string::npos)
      << told_;
}

std::string schema_of_log(fake::Plugin& plugin) {
  return told(plugin, "schema", R"({"database":"log"})");
}

TEST_F(Sqlite, TellsTheOtherTablesIfOneCannotBeRead) {
  make("log.db",
       "CREATE TABLE old(y); CREATE VIEW stale AS SELECT y FROM old; DROP TABLE old;"
       "CREATE TABLE zoo(animal TEXT); PRAGMA writable_schema=ON;"
       "INSERT INTO sqlite_schema VALUES('table','alien','alien',0,"
       "'CREATE VIRTUAL TABLE alien USING nosuch(x)');");
  const std::string answer = schema_of_log(*plugin_);
  EXPECT_THAT(answer, HasSubstr(R"({"name":"stale","kind":"view","columns":[],"sql":"CREATE)"));
  EXPECT_THAT(answer, HasSubstr(R"({"name":"alien","kind":"table","columns":[],"sql":"CREATE)"));
  EXPECT_THAT(answer, HasSubstr(R"({"name":"zoo","kind":"table","columns":[{"name":"animal",)"));
  EXPECT_THAT(answer, HasSubstr(R"("truncated":false)"));
}

TEST_F(Sqlite, LeavesOutNoTableWithoutAWord) {
  make("log.db", "CREATE TABLE sqlitelog(x INTEGER PRIMARY KEY AUTOINCREMENT)");
  EXPECT_THAT(schema_of_log(*plugin_), HasSubstr(R"("tables":[{"name":"sqlitelog",)"));
  EXPECT_THAT(schema_of_log(*plugin_), Not(HasSubstr("sqlite_sequence")));
  const std::string columns = "a0" + [] {
    std::string more;
    for (int i = 1; i < 1500; ++i) more += ",a" + std::to_string(i);
    return more;
  }();
  std::string wide;
  for (const char* name : {"t1", "t2", "t3", "t4"})
    wide += "CREATE TABLE " + std::string(name) + "(" + columns + ");";
  make("log.db", wide.c_str());
  const std::string answer = schema_of_log(*plugin_);
  EXPECT_THAT(answer, HasSubstr(R"("name":"t3")"));
  EXPECT_THAT(answer, Not(HasSubstr(R"("name":"t4")")));
  EXPECT_THAT(answer, HasSubstr(R"("truncated":true)"));
}

TEST_F(Sqlite, ReadsTextsOfADatabaseInUtf16) {
  make("log.db",
       "PRAGMA encoding='UTF-16'; CREATE TABLE t(x); INSERT INTO t VALUES('Gr\u00fc\u00dfe')");
  EXPECT_THAT(told(*plugin_, "query", R"({"database":"log","sql":"SELECT x FROM t"})"),
              HasSubstr("[[\"Gr\u00fc\u00dfe\"]]"));
}

}  // namespace
