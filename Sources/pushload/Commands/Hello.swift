internal import ArgumentParser
internal import Hummingbird
internal import Logging

/// The yardstick for what the web module answers: the same server library, with nothing behind it.
struct Hello: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hello", abstract: "Serve a bare Hummingbird that says hello, to measure against.",
        shouldDisplay: false)

    func run() async throws {
        let router = Router()
        router.get("/") { _, _ in "hello" }
        let app = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in Terminal.line("\(channel.localAddress?.port ?? 0)") },
            logger: Logger(label: "hello") { _ in SwiftLogNoOpLogHandler() })
        try await app.runService()
    }
}
