#include "stock.h"

namespace {

constexpr const char* kTables = R"(
CREATE TABLE location(id INTEGER PRIMARY KEY, name TEXT NOT NULL, use_bins INTEGER NOT NULL,
                      active INTEGER NOT NULL);
CREATE TABLE item(name TEXT PRIMARY KEY, description TEXT NOT NULL, reorder_point INTEGER NOT NULL);
CREATE TABLE level(item TEXT NOT NULL REFERENCES item, location INTEGER NOT NULL REFERENCES location,
                   on_hand INTEGER NOT NULL DEFAULT 0 CHECK (on_hand >= 0),
                   reserved INTEGER NOT NULL DEFAULT 0 CHECK (reserved BETWEEN 0 AND on_hand),
                   PRIMARY KEY (item, location)) WITHOUT ROWID;
CREATE TABLE sale(name TEXT PRIMARY KEY, item TEXT NOT NULL REFERENCES item,
                  location INTEGER NOT NULL REFERENCES location,
                  quantity INTEGER NOT NULL CHECK (quantity > 0), status TEXT NOT NULL,
                  approved_by TEXT);
CREATE TABLE movement(id INTEGER PRIMARY KEY, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
                      item TEXT NOT NULL REFERENCES item,
                      location INTEGER NOT NULL REFERENCES location,
                      quantity INTEGER NOT NULL, reason TEXT NOT NULL);
PRAGMA user_version = 1;
)";

constexpr const char* kExample = R"(
INSERT INTO location VALUES (1, 'Main warehouse', 1, 1), (2, 'Shop', 0, 1), (3, 'Old depot', 0, 0);
INSERT INTO item VALUES ('bolt-m8', 'Bolt M8 x 40', 100), ('nut-m8', 'Nut M8', 100),
                        ('gear-12', 'Gear, 12 teeth', 5);
INSERT INTO level(item, location, on_hand) VALUES ('bolt-m8', 1, 500), ('bolt-m8', 2, 40),
                                                  ('nut-m8', 1, 650), ('gear-12', 1, 12);
INSERT INTO movement(item, location, quantity, reason)
  SELECT item, location, on_hand, 'opening stock' FROM level;
)";

constexpr const char* kLevels =
    "SELECT l.item, i.description, l.location, l.on_hand, l.reserved "
    "FROM level l JOIN item i ON i.name = l.item ";

[[noreturn]] void refuse(const std::string& message) {
  throw toolpost::Error(message);
}

Level read_level(const Row& row) {
  Level level{row.text(0), row.text(1), row.number(2), row.number(3), row.number(4), 0};
  level.available = level.on_hand - level.reserved;
  return level;
}

Order read_order(const Row& row) {
  return {row.text(0), row.text(1), row.number(2), row.number(3), row.text(4)};
}

constexpr const char* kOrders = "SELECT name, item, location, quantity, status FROM sale ";

std::string described(const Order& order) {
  return std::to_string(order.quantity) + " " + order.item + " from location " +
         std::to_string(order.location);
}

void check_quantity(std::int64_t quantity) {
  if (quantity < 1 || quantity > 1'000'000) refuse("quantity is not between 1 and 1000000");
}

void check_available(const Level& level, std::int64_t quantity) {
  if (level.available >= quantity) return;
  refuse("only " + std::to_string(level.available) + " " + level.item +
         " are available at location " + std::to_string(level.location) + ", of " +
         std::to_string(level.on_hand) + " on hand");
}

}  // namespace

Stock::Stock(const std::string& path) : store_(path) {
  begin();
}

void Stock::begin() {
  Transaction transaction(store_);
  const std::int64_t version = store_.number("PRAGMA user_version", {}, 0);
  if (version > 1) refuse("the warehouse's file is of a newer version: update this plugin");
  if (version == 1) return;
  store_.script(kTables);
  store_.script(kExample);
  transaction.commit();
}

std::vector<Location> Stock::locations(bool include_inactive) {
  std::vector<Location> found;
  Row row =
      store_.rows("SELECT id, name, use_bins, active FROM location WHERE active OR ?1 ORDER BY id",
                  {std::int64_t{include_inactive}});
  while (row.next())
    found.push_back({row.number(0), row.text(1), row.number(2) != 0, row.number(3) != 0});
  return found;
}

std::vector<Level> Stock::levels(const std::optional<std::string>& item,
                                 std::optional<std::int64_t> location) {
  if (item) check_item(*item);
  if (location) check_location(*location);
  std::vector<Level> found;
  Row row = store_.rows(std::string(kLevels) +
                            "WHERE (?1 = '' OR l.item = ?1) AND (?2 = 0 OR l.location = ?2) "
                            "ORDER BY l.item, l.location",
                        {item.value_or(""), location.value_or(0)});
  while (row.next()) found.push_back(read_level(row));
  return found;
}

std::vector<Order> Stock::orders(const std::optional<std::string>& status) {
  std::vector<Order> found;
  Row row = store_.rows(
      std::string(kOrders) + "WHERE ?1 = '' OR status = ?1 ORDER BY rowid DESC LIMIT 500",
      {status.value_or("")});
  while (row.next()) found.push_back(read_order(row));
  return found;
}

Order Stock::reserve(const Order& wanted) {
  check_quantity(wanted.quantity);
  Transaction transaction(store_);
  Row same = store_.rows(std::string(kOrders) + "WHERE name = ?1", {wanted.order});
  if (same.next()) {
    const Order old = read_order(same);
    if (described(old) == described(wanted)) return old;
    refuse("there is an order " + old.order + " already, of " + described(old));
  }
  check_location(wanted.location);
  check_available(level(wanted.item, wanted.location), wanted.quantity);
  store_.run("UPDATE level SET reserved = reserved + ?3 WHERE item = ?1 AND location = ?2",
             {wanted.item, wanted.location, wanted.quantity});
  store_.run("INSERT INTO sale VALUES (?1, ?2, ?3, ?4, 'open', NULL)",
             {wanted.order, wanted.item, wanted.location, wanted.quantity});
  transaction.commit();
  Order made = wanted;
  made.status = "open";
  return made;
}

std::int64_t Stock::move(const std::string& item, std::int64_t from, std::int64_t to,
                         std::int64_t quantity, const std::string& reason) {
  check_quantity(quantity);
  if (from == to) refuse("from and to are the same location");
  Transaction transaction(store_);
  check_location(from);
  check_location(to);
  check_available(level(item, from), quantity);
  change(item, from, -quantity, reason);
  change(item, to, quantity, reason);
  const std::int64_t number = store_.number("SELECT max(id) FROM movement", {}, 0);
  transaction.commit();
  return number;
}

Order Stock::approve(const std::string& name, const std::string& by) {
  Transaction transaction(store_);
  Row row = store_.rows(std::string(kOrders) + "WHERE name = ?1", {name});
  if (!row.next()) refuse("there is no order " + name + ": get_orders tells which there are");
  Order order = read_order(row);
  if (order.status != "open") refuse("order " + name + " has been approved already");
  store_.run("UPDATE level SET reserved = reserved - ?3 WHERE item = ?1 AND location = ?2",
             {order.item, order.location, order.quantity});
  change(order.item, order.location, -order.quantity, "order " + name);
  store_.run("UPDATE sale SET status = 'approved', approved_by = ?2 WHERE name = ?1", {name, by});
  transaction.commit();
  order.status = "approved";
  return order;
}

std::vector<Level> Stock::low(std::int64_t location) {
  std::vector<Level> found;
  Row row = store_.rows(std::string(kLevels) +
                            "WHERE l.location = ?1 AND l.on_hand - l.reserved <= i.reorder_point "
                            "ORDER BY l.item",
                        {location});
  while (row.next()) found.push_back(read_level(row));
  return found;
}

std::vector<Level> Stock::recount(bool mend) {
  Transaction transaction(store_);
  // What a level should have on hand, and reserved.
  constexpr const char* kWrong =
      "WITH counted(item, location, on_hand, reserved) AS ("
      "  SELECT l.item, l.location,"
      "    (SELECT coalesce(sum(quantity), 0) FROM movement m"
      "      WHERE m.item = l.item AND m.location = l.location),"
      "    (SELECT coalesce(sum(quantity), 0) FROM sale s"
      "      WHERE s.item = l.item AND s.location = l.location AND s.status = 'open')"
      "  FROM level l) "
      "SELECT c.item, i.description, c.location, c.on_hand, c.reserved "
      "FROM counted c JOIN level l USING (item, location) JOIN item i ON i.name = c.item "
      "WHERE c.on_hand <> l.on_hand OR c.reserved <> l.reserved";
  std::vector<Level> wrong;
  Row row = store_.rows(kWrong);
  while (row.next()) wrong.push_back(read_level(row));
  if (mend) {
    for (const Level& level : wrong)
      store_.run("UPDATE level SET on_hand = ?3, reserved = ?4 WHERE item = ?1 AND location = ?2",
                 {level.item, level.location, level.on_hand, level.reserved});
  }
  transaction.commit();
  return wrong;
}

Level Stock::level(const std::string& item, std::int64_t location) {
  check_item(item);
  Row row =
      store_.rows(std::string(kLevels) + "WHERE l.item = ?1 AND l.location = ?2", {item, location});
  if (row.next()) return read_level(row);
  Level none;
  none.item = item;
  none.location = location;
  return none;
}

void Stock::check_item(const std::string& item) {
  if (store_.number("SELECT 1 FROM item WHERE name = ?1", {item}, 0) == 0)
    refuse("there is no item \"" + std::string(toolpost::cut(item, 100)) +
           "\": get_stock tells which there are");
}

void Stock::check_location(std::int64_t id) {
  if (store_.number("SELECT active FROM location WHERE id = ?1", {id}, 0) == 0)
    refuse("there is no active location " + std::to_string(id) +
           ": get_locations tells which there are");
}

void Stock::change(const std::string& item, std::int64_t location, std::int64_t quantity,
                   const std::string& reason) {
  store_.run("INSERT OR IGNORE INTO level(item, location) VALUES (?1, ?2)", {item, location});
  store_.run("UPDATE level SET on_hand = on_hand + ?3 WHERE item = ?1 AND location = ?2",
             {item, location, quantity});
  store_.run("INSERT INTO movement(item, location, quantity, reason) VALUES (?1, ?2, ?3, ?4)",
             {item, location, quantity, reason});
}
