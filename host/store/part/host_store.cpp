#include "store/part/host_store.h"

#include <utility>

#include "base/process/process.h"
#include "store/part/sqlite_parts.h"
#include "store/sqlite/columns.h"

namespace host::store {
namespace {

// Nobody waits for an answer that long.
constexpr std::chrono::hours kKeepOrders{1};
// An order without a limit waits for a host that does not answer, for example over a weekend.
constexpr std::chrono::hours kKeepUnlimited{24 * 7};

#define ORDER_COLUMNS "id, host, action, plugin, given_by, created, take_by, state, answer"

PluginOrder order_in(Statement& row) {
  PluginOrder order;
  order.id = row.text(0);
  order.host = row.text(1);
  order.action = row.text(2);
  order.plugin = row.text(3);
  order.given_by = row.text(4);
  order.created = time_of(row.number(5));
  order.take_by = time_of(row.number(6));
  order.state = static_cast<OrderState>(row.number(7));
  order.answer = row.text(8);
  return order;
}

std::uint64_t number_of(OrderState state) {
  return static_cast<std::uint64_t>(state);
}

class SqliteHostStore final : public HostStore {
 public:
  SqliteHostStore(Sqlite& database, const Clock& clock) : database_(database), clock_(clock) {}

  Result<void> add(const HostRecord& host) override {
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("INSERT INTO host (id, address, pid, process, started) "
                                      "VALUES (?1, ?2, ?3, ?4, ?5)"));
    put.bind(host.id).bind(host.address).bind(host.pid).bind(host.process);
    return put.bind(milliseconds_of(host.started)).run();
  }

  Result<void> remove(std::string_view host) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(const bool keeps_orders, may_come_back(host));
    if (!keeps_orders) {
      HOST_TRY_ASSIGN(Statement orders,
                      database_.prepare("DELETE FROM plugin_order WHERE host = ?1"));
      HOST_TRY(orders.bind(host).run());
    }
    HOST_TRY_ASSIGN(Statement forget, database_.prepare("DELETE FROM host WHERE id = ?1"));
    HOST_TRY(forget.bind(host).run());
    return transaction.commit();
  }

  Result<std::vector<HostRecord>> list() override {
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("SELECT id, address, pid, process, started FROM host "
                                      "ORDER BY started, id"));
    std::vector<HostRecord> hosts;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) return hosts;
      hosts.push_back({std::string(rows.text(0)), std::string(rows.text(1)), rows.number(2),
                       std::string(rows.text(3)), time_of(rows.number(4))});
    }
  }

  Result<void> give(const PluginOrder& order) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(Statement old,
                    database_.prepare("DELETE FROM plugin_order WHERE created < ?1 AND "
                                      "(take_by <> 0 OR state <> ?2 OR created < ?3)"));
    old.bind(milliseconds_of(clock_.wall() - kKeepOrders)).bind(number_of(OrderState::Given));
    HOST_TRY(old.bind(milliseconds_of(clock_.wall() - kKeepUnlimited)).run());
    HOST_TRY_ASSIGN(Statement put,
                    database_.prepare("INSERT INTO plugin_order (" ORDER_COLUMNS
                                      ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"));
    put.bind(order.id).bind(order.host).bind(order.action).bind(order.plugin);
    put.bind(order.given_by).bind(milliseconds_of(order.created));
    put.bind(milliseconds_of(order.take_by)).bind(number_of(order.state));
    HOST_TRY(put.bind(order.answer).run());
    return transaction.commit();
  }

  Result<std::optional<PluginOrder>> find(std::string_view order) override {
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("SELECT " ORDER_COLUMNS " FROM plugin_order WHERE id = ?1"));
    HOST_TRY_ASSIGN(const bool row, rows.bind(order).step());
    if (!row) return std::optional<PluginOrder>();
    return std::optional(order_in(rows));
  }

  Result<bool> withdraw(std::string_view order) override {
    HOST_TRY_ASSIGN(Statement forget,
                    database_.prepare("DELETE FROM plugin_order WHERE id = ?1 AND state = ?2"));
    HOST_TRY(forget.bind(order).bind(number_of(OrderState::Given)).run());
    return database_.changes() == 1;
  }

  Result<void> forget(std::string_view order) override {
    HOST_TRY_ASSIGN(Statement forget, database_.prepare("DELETE FROM plugin_order WHERE id = ?1"));
    return forget.bind(order).run();
  }

  Result<std::vector<PluginOrder>> take(std::string_view host) override {
    HOST_TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("SELECT " ORDER_COLUMNS
                                      " FROM plugin_order WHERE host = ?1 AND state = ?2 "
                                      "AND (take_by = 0 OR take_by >= ?3) ORDER BY created, id"));
    rows.bind(host).bind(number_of(OrderState::Given)).bind(milliseconds_of(clock_.wall()));
    std::vector<PluginOrder> orders;
    for (;;) {
      HOST_TRY_ASSIGN(const bool row, rows.step());
      if (!row) break;
      orders.push_back(order_in(rows));
    }
    for (const PluginOrder& order : orders) HOST_TRY(set(order.id, OrderState::Taken, {}));
    HOST_TRY(transaction.commit());
    return orders;
  }

  Result<void> answer(std::string_view order, OrderState state, std::string_view answer) override {
    return set(order, state, answer);
  }

  Result<bool> changed_by_others() override { return seen_.changed(database_); }

 private:
  // A host in another PID namespace cannot be seen. If it runs, it adds itself again.
  Result<bool> may_come_back(std::string_view host) {
    HOST_TRY_ASSIGN(Statement rows,
                    database_.prepare("SELECT pid, process FROM host WHERE id = ?1"));
    HOST_TRY_ASSIGN(const bool is_listed, rows.bind(host).step());
    if (!is_listed) return true;
    const auto pid = static_cast<pid_t>(rows.number(0));
    const std::string process(rows.text(1));
    return !has_ended(pid, process) && mark_of_process(pid) != process;
  }

  Result<void> set(std::string_view order, OrderState state, std::string_view answer) {
    HOST_TRY_ASSIGN(
        Statement put,
        database_.prepare("UPDATE plugin_order SET state = ?2, answer = ?3 WHERE id = ?1"));
    return put.bind(order).bind(number_of(state)).bind(answer).run();
  }

  Sqlite& database_;
  const Clock& clock_;
  SeenVersion seen_;
};

#undef ORDER_COLUMNS

}  // namespace

std::unique_ptr<HostStore> hosts_in(Sqlite& database, const Clock& clock) {
  return std::make_unique<SqliteHostStore>(database, clock);
}

}  // namespace host::store
