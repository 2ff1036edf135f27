import Foundation

/// The program: standard input and output, and the signals that interrupt it.
@main
enum Main {
  static func main() async {
    let interruption = Interruption()
    let work = Task {
      await Courier.run(
        Array(CommandLine.arguments.dropFirst()),
        output: FileOutput(descriptor: STDOUT_FILENO, name: "standard output"),
        errors: FileOutput(descriptor: STDERR_FILENO, name: "standard error"),
        environment: ProcessInfo.processInfo.environment)
    }
    interruption.onFirst { work.cancel() }
    let code = await work.value
    // A signal that ends only the inspector does not replace the command's code.
    exit(code == ExitCode.interrupted.rawValue ? interruption.exitCode ?? code : code)
  }
}
