internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import PushOperations

/// `GET /healthz`: whether to restart this process. `GET /readyz`: whether it accepts work.
struct HealthRoutes: WebRoutes {
    let observatory: Observatory
    let devices: @Sendable () -> DeviceServices?

    let paths = [WebPath(.get, "/healthz"), WebPath(.get, "/readyz")]

    /// A loop that turns says so each second.
    private static let longestSilenceSeconds = 10.0

    func add(to router: Router<WebContext>) {
        router.get("/healthz") { [self] _, _ in health() }
        router.get("/readyz") { [self] _, _ in await readiness() }
    }

    /// Asks nobody: what answers here is the process's own loop, and the master's has said when it turned
    /// last.
    private func health() -> Response {
        if let silence = observatory.secondsSinceTurn, silence > Self.longestSilenceSeconds {
            return .text(
                .serviceUnavailable,
                "the master's loop has not turned for \(Int(silence)) s: look at its log, or restart it\n")
        }
        return .text(.ok, "alive\n")
    }

    private func readiness() async -> Response {
        let master = await observatory.master.look()
        let trouble = master.value == nil ? master.trouble ?? "it has not said anything yet" : nil
        var process = Readiness.Process(
            hasMaster: observatory.hasMaster, takesRegistrations: devices() != nil,
            storeTrouble: observatory.writeTrouble)
        // The alarms of this process's own master report what is wrong with store and key.
        if !observatory.hasMaster {
            let store = await observatory.store.look()
            process.storeTrouble = process.storeTrouble ?? store.trouble
            process.keyTrouble = store.value?.keyTrouble
        }
        let readiness = Readiness(process, master: master.value.flatMap(\.self), trouble: trouble)
        return .text(readiness.isReady ? .ok : .serviceUnavailable, readiness.text)
    }
}
