// swift-tools-version: 6.1
import PackageDescription

/// Settings of every target: the stricter language the project is written in.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "Heliograph",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Signals", targets: ["Signals"]),
    .library(name: "Heliograph", targets: ["Heliograph"]),
    .library(name: "HeliographTesting", targets: ["HeliographTesting"]),
  ],
  targets: [
    .target(name: "Signals", swiftSettings: settings),
    .target(name: "CCurl"),
    .target(name: "Heliograph", dependencies: ["Signals", "CCurl"], swiftSettings: settings),
    .target(name: "HeliographTesting", dependencies: ["Signals", "Heliograph"], swiftSettings: settings),

    .testTarget(name: "SignalsTests", dependencies: ["Signals", "HeliographTesting"], swiftSettings: settings),
    .testTarget(
      name: "HeliographTests", dependencies: ["Heliograph", "HeliographTesting", "CurlNumbers", "ProcessProbe"],
      swiftSettings: settings),
    .testTarget(name: "HeliographTestingTests", dependencies: ["HeliographTesting"], swiftSettings: settings),
    .testTarget(name: "LawTests", dependencies: ["Heliograph"], swiftSettings: settings),
    .testTarget(name: "ArchitectureTests", swiftSettings: settings),
    .testTarget(
      name: "DocumentationTests", dependencies: ["Heliograph", "HeliographTesting"], swiftSettings: settings),
    .testTarget(name: "StressTests", dependencies: ["Signals", "HeliographTesting"], swiftSettings: settings),
    .executableTarget(
      name: "ProcessProbe", dependencies: ["Signals", "Heliograph"], path: "Tests/ProcessProbe",
      swiftSettings: settings),
    .target(name: "CurlNumbers", dependencies: ["CCurl"], path: "Tests/CurlNumbers"),
    .target(name: "CAllocationCount", path: "Tests/AllocationCount"),
    .executableTarget(
      name: "Benchmarks", dependencies: ["Signals", "Heliograph", "CAllocationCount"], path: "Tests/Benchmarks",
      swiftSettings: settings),
  ]
)
