#include "plugin/generation.h"

namespace host::plugin {

Generation::Generation(std::shared_ptr<Surroundings> around, Build build)
    : around_(std::move(around)), build_(std::move(build)) {}

Generation::~Generation() = default;

}  // namespace host::plugin
