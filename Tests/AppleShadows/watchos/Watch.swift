// swift-format-ignore-file: TypeNamesShouldBeCapitalized, AlwaysUseLowerCamelCase

// What televisions and watches do not have beyond what phones lack; only the libraries are built for them.

@available(*, unavailable, message: "not on tvOS and watchOS") let posix_spawn: Never = fatalError()
@available(*, unavailable, message: "not on tvOS and watchOS") let posix_spawnp: Never = fatalError()
@available(*, unavailable, message: "not on tvOS and watchOS") let fork: Never = fatalError()
@available(*, unavailable, message: "not on tvOS and watchOS") let execv: Never = fatalError()
@available(*, unavailable, message: "not on tvOS and watchOS") let execve: Never = fatalError()
@available(*, unavailable, message: "not on tvOS and watchOS") let execvp: Never = fatalError()
@available(*, unavailable, message: "not on tvOS and watchOS") let sigaltstack: Never = fatalError()
