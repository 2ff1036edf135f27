// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, TypeNamesShouldBeCapitalized, AlwaysUseLowerCamelCase

// Apple's C library as far as the sources use it, so that `.ci/apple-check` can type-check on Linux what stands behind
// `canImport(Darwin)`: Glibc, which is mostly the same, and what Apple's headers have beyond it
// (sys/socket.h, sys/syslimits.h and netinet/in.h of xnu). It is never linked into anything.

@_exported public import Glibc

/// An internet address; Apple's begins with its own length.
public struct sockaddr_in {
  public var sin_len: UInt8 = 0
  public var sin_family: sa_family_t = 0
  public var sin_port: UInt16 = 0
  public var sin_addr = in_addr()

  public init() {}
}

/// Socket option: writing to a closed socket raises no signal.
public let SO_NOSIGPIPE: Int32 = 0x1022

/// Socket option: how many bytes wait to be sent.
public let SO_NWRITE: Int32 = 0x1024

/// The most descriptors that a process may ask for.
public let OPEN_MAX: Int32 = 10_240
