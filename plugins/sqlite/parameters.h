// Values of a call's arguments for the ? and :name of a statement.
#pragma once

#include <string>

#include "database.h"

// json: one array, by position, or one object, by name (without its colon). Each parameter needs a
// value and each value a parameter. Arrays and objects within become their JSON text. Throws
// toolpost::Error.
void bind_parameters(const Statement& statement, const std::string& json);
