// swift-format-ignore-file: TypeNamesShouldBeCapitalized, AlwaysUseLowerCamelCase

// Apple's spawn.h: see Darwin.swift. The actions and attributes are pointers, which are optional.

import Glibc

typealias SpawnActions = UnsafeMutablePointer<posix_spawn_file_actions_t?>
typealias SpawnAttributes = UnsafeMutablePointer<posix_spawnattr_t?>
typealias SpawnWords = UnsafePointer<UnsafeMutablePointer<CChar>?>

@discardableResult func posix_spawn_file_actions_init(_ actions: SpawnActions!) -> Int32 { 0 }
@discardableResult func posix_spawn_file_actions_destroy(_ actions: SpawnActions!) -> Int32 { 0 }
@discardableResult func posix_spawn_file_actions_addclose(_ actions: SpawnActions!, _ file: Int32) -> Int32 { 0 }
@discardableResult func posix_spawn_file_actions_adddup2(
  _ actions: SpawnActions!, _ from: Int32, _ to: Int32
) -> Int32 { 0 }
@discardableResult func posix_spawn_file_actions_addopen(
  _ actions: SpawnActions!, _ file: Int32, _ path: UnsafePointer<CChar>!, _ flags: Int32, _ mode: UInt16
) -> Int32 { 0 }
@discardableResult func posix_spawnattr_init(_ attributes: SpawnAttributes!) -> Int32 { 0 }
@discardableResult func posix_spawnattr_destroy(_ attributes: SpawnAttributes!) -> Int32 { 0 }
@discardableResult func posix_spawnattr_setflags(_ attributes: SpawnAttributes!, _ flags: Int16) -> Int32 { 0 }
@discardableResult func posix_spawnattr_setsigmask(
  _ attributes: SpawnAttributes!, _ signals: UnsafePointer<sigset_t>!
) -> Int32 { 0 }
@discardableResult func posix_spawn(
  _ number: UnsafeMutablePointer<pid_t>!, _ path: UnsafePointer<CChar>!,
  _ actions: UnsafePointer<posix_spawn_file_actions_t?>!, _ attributes: UnsafePointer<posix_spawnattr_t?>!,
  _ arguments: SpawnWords!, _ environment: SpawnWords!
) -> Int32 { 0 }
