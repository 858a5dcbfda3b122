// linkage.hpp decides where the bodies of the SDK's functions are compiled. toolpost_add_plugin
// compiles them once, into a static library that all plugins of a build link, and defines
// TOOLPOST_SDK_COMPILED. Without TOOLPOST_SDK_COMPILED, each source file compiles all bodies of the
// SDK's functions, and the headers are enough.
#pragma once

#ifdef TOOLPOST_SDK_COMPILED
#define TOOLPOST_INLINE
#else
#define TOOLPOST_INLINE inline
#endif
