#include "store/part/offer_store.h"

#include <utility>

#include "json/json.h"
#include "store/part/sqlite_parts.h"

namespace host::store {
namespace {

std::string about_offer(std::string_view upstream) {
  return "upstream offer\n" + std::string(upstream);
}

std::string array_of(const std::vector<std::string>& names) {
  std::string out = "[";
  for (const std::string& name : names) {
    if (out.size() > 1) out += ',';
    json::write_string(name, out);
  }
  return out + "]";
}

class SqliteOfferStore final : public OfferStore {
 public:
  SqliteOfferStore(Sqlite& database, SecretBox& box) : database_(database), box_(box) {}

  Result<std::vector<OfferRecord>> of(const std::vector<std::string>& upstreams) override {
    HOST_TRY_ASSIGN(
        Statement rows,
        database_.prepare("SELECT upstream, list, source, seal_key, filters, entries "
                          "FROM upstream_offer WHERE upstream IN (SELECT value FROM json_each(?1)) "
                          "ORDER BY upstream, list"));
    const std::string names = array_of(upstreams);
    rows.bind(names);
    std::vector<OfferRecord> records;
    for (;;) {
      HOST_TRY_ASSIGN(const bool more, rows.step());
      if (!more) return records;
      OfferRecord record;
      record.upstream = rows.text(0);
      record.list = rows.text(1);
      const SecretBox::Sealed sealed{std::string(rows.text(3)), std::string(rows.blob(2))};
      // Lists of an unknown source are read from the upstream again.
      if (auto source = box_.unseal(sealed, about_offer(record.upstream)))
        record.source = *std::move(source);
      record.filters = rows.text(4);
      record.entries = rows.text(5);
      records.push_back(std::move(record));
    }
  }

  Result<void> put(const OfferRecord& record) override {
    if (record.entries.empty()) return remove(record.upstream, record.list);
    HOST_TRY_ASSIGN(const SecretBox::Sealed source,
                    box_.seal(record.source, about_offer(record.upstream)));
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("INSERT OR REPLACE INTO upstream_offer (upstream, list, "
                                      "source, seal_key, filters, entries) "
                                      "VALUES (?1, ?2, ?3, ?4, ?5, ?6)"));
    put.bind(record.upstream).bind(record.list).bind_blob(source.bytes).bind(source.key);
    return put.bind(record.filters).bind(record.entries).run();
  }

  Result<void> forget(std::string_view upstream) override {
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM upstream_offer WHERE upstream = ?1"));
    HOST_TRY(forget.bind(upstream).run());
    HOST_TRY_ASSIGN(
        Statement mark,
        database_.prepare("INSERT INTO upstream_offer (upstream, list, source, "
                          "seal_key, filters, entries) VALUES (?1, ?2, x'', '', '', '')"));
    return mark.bind(upstream).bind(kUnread).run();
  }

  Result<void> forget_all_but(const std::vector<std::string>& upstreams) override {
    const std::string names = array_of(upstreams);
    HOST_TRY_ASSIGN(
        Statement mark,
        database_.prepare(
            "INSERT OR IGNORE INTO upstream_offer (upstream, list, source, seal_key, filters, "
            "entries) SELECT upstream, ?2, x'', '', '', '' FROM (SELECT upstream FROM "
            "upstream_offer UNION SELECT upstream FROM upstream_pin) WHERE upstream NOT IN "
            "(SELECT value FROM json_each(?1))"));
    HOST_TRY(mark.bind(names).bind(kUnread).run());
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM upstream_offer WHERE list <> ?2 AND upstream "
                                      "NOT IN (SELECT value FROM json_each(?1))"));
    return forget.bind(names).bind(kUnread).run();
  }

 private:
  Result<void> remove(const std::string& upstream, const std::string& list) {
    HOST_TRY_ASSIGN(
        Statement remove,
        database_.prepare("DELETE FROM upstream_offer WHERE upstream = ?1 AND list = ?2"));
    return remove.bind(upstream).bind(list).run();
  }

  Sqlite& database_;
  SecretBox& box_;
};

}  // namespace

std::unique_ptr<OfferStore> offers_in(Sqlite& database, SecretBox& box) {
  return std::make_unique<SqliteOfferStore>(database, box);
}

}  // namespace host::store
