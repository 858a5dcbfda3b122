// warehouse: a small stock, and every class of tool used for what its prefix means.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <toolpost/toolpost.hpp>

#include "roots/roots.h"
#include "stock.h"

namespace {

using toolpost::Field;

struct GetLocations {
  Field<bool, "Closed ones too", toolpost::Defaulted> include_inactive;
};
struct Locations {
  std::vector<Location> locations;
};

struct GetStock {
  Field<std::optional<std::string>, "Name of an item; none: all"> item;
  Field<std::optional<std::int64_t>, "Number of a location; none: all"> location;
};
struct Levels {
  std::vector<Level> levels;
};

enum class Status { open, approved };
TOOLPOST_ENUM(Status, TOOLPOST_VALUE(open), TOOLPOST_VALUE(approved))

struct GetOrders {
  Field<std::optional<Status>, "none: all"> status;
};
struct Orders {
  Field<std::vector<Order>, "The latest 500, newest first"> orders;
};

using Quantity =
    Field<std::int64_t, "How many", toolpost::Minimum<1>, toolpost::Maximum<1'000'000>>;

struct ReserveStock {
  Field<std::string, "Name of the new order", toolpost::MinLength<1>, toolpost::MaxLength<64>>
      order;
  Field<std::string, "Name of an item"> item;
  Field<std::int64_t, "Number of the location that it is to come from"> location;
  Quantity quantity;
};

struct MoveStock {
  Field<std::string, "Name of an item"> item;
  Field<std::int64_t, "Number of the location that gives"> from;
  Field<std::int64_t, "Number of the location that gets"> to;
  Quantity quantity;
  Field<std::string, "For the record", toolpost::MaxLength<200>> reason = "transfer";
};
struct Moved {
  Field<std::int64_t, "Its number in the record"> movement;
  Field<std::vector<Level>, "Of the item, as they are now"> levels;
};

// What the host tells a tool that runs after an action: here only the arguments matter.
struct AfterMove {
  Field<MoveStock, "Those of pre_move_stock"> arguments;
};
struct Low {
  Field<std::vector<Level>, "Items to order again, at the location that gave"> low;
};

struct ApproveOrder {
  Field<std::string, "Name of an open order"> order;
};

struct Recount {
  Field<bool, "Set them right", toolpost::Defaulted> mend;
};

class Warehouse {
 public:
  struct Settings {
    Field<std::string, "Where stock.db is kept; empty: in memory alone", toolpost::Defaulted>
        folder;
  };

  explicit Warehouse(const Settings& settings)
      : path_(settings.folder.empty()
                  ? ":memory:"
                  : path_of_setting(settings.folder, "/folder of plugin warehouse") + "/stock.db") {
  }

  Locations get_locations(const GetLocations& args) {
    return {stock().locations(args.include_inactive)};
  }
  Levels get_stock(const GetStock& args) { return {stock().levels(args.item, args.location)}; }
  Orders get_orders(const GetOrders& args) {
    if (!args.status) return {stock().orders(std::nullopt)};
    return {stock().orders(*args.status == Status::open ? "open" : "approved")};
  }

  Order reserve(const ReserveStock& args) {
    return stock().reserve({args.order, args.item, args.location, args.quantity, ""});
  }
  Moved move(const MoveStock& args) {
    Stock& open = stock();
    const std::int64_t number =
        open.move(args.item, args.from, args.to, args.quantity, args.reason);
    return {number, open.levels(args.item, std::nullopt)};
  }
  Low after_move(const AfterMove& args) { return {stock().low(args.arguments.from)}; }
  Order approve(const ApproveOrder& args, toolpost::Context& call) {
    return stock().approve(args.order, std::string(call.principal()));
  }
  Levels recount(const Recount& args) { return {stock().recount(args.mend)}; }

 private:
  // Opened by the first call: the trial of a new library may not write.
  Stock& stock() {
    if (stock_ == nullptr) stock_ = std::make_unique<Stock>(path_);
    return *stock_;
  }

  std::string path_;
  std::unique_ptr<Stock> stock_;
};

toolpost::ToolOptions reading(const char* title) {
  return {.title = title, .read_only = true, .closed_world = true};
}
toolpost::ToolOptions writing(const char* title) {
  return {.title = title, .closed_world = true};
}

}  // namespace

TOOLPOST_PLUGIN(
    toolpost::Plugin<Warehouse>(
        {.id = "io.toolpost.warehouse", .name = "Warehouse", .version = TOOLPOST_VERSION})
        // Standard: they only read.
        .tool("get_locations", "List the warehouse's locations", &Warehouse::get_locations,
              reading("Locations"))
        .tool("get_stock", "Tell what is on hand, reserved and available, by item and location",
              &Warehouse::get_stock, reading("Stock levels"))
        .tool("get_orders", "List orders that stock is reserved for, or was",
              &Warehouse::get_orders, reading("Orders"))
        // pre_: a person confirms each.
        .tool("pre_reserve_stock", "Make an order and reserve stock for it", &Warehouse::reserve,
              {.title = "Reserve stock",
               .idempotent = true,
               .not_destructive = true,
               .closed_world = true})
        .tool("pre_move_stock", "Move stock from one location to another", &Warehouse::move,
              writing("Move stock"))
        // post_: the host runs it after pre_move_stock, by its name.
        .tool("post_move_stock", "Tell what ran low at the location that stock was moved from",
              &Warehouse::after_move, reading("What ran low"))
        // priv_: a person gives a one-time code.
        .tool("priv_approve_order", "Approve an open order: its stock leaves the warehouse",
              &Warehouse::approve, writing("Approve an order"))
        // _: for the host and its plugins, never for a peer.
        .tool("_recount",
              "Find levels that are not what the movements add up to, and set them right",
              &Warehouse::recount, {.title = "Recount", .idempotent = true, .closed_world = true}))
