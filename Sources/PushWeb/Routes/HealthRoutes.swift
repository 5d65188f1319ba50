internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// `GET /healthz`: whether to kill this process. `GET /readyz`: whether it does its work.
struct HealthRoutes: WebRoutes {
    let observatory: Observatory

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
        var trouble = master.value == nil ? master.trouble ?? "the master does not answer" : nil
        // Beside a master, its alarms say what is wrong with the store.
        if !observatory.hasMaster, trouble == nil { trouble = await observatory.store.look().trouble }
        let readiness = Readiness(of: master.value.flatMap(\.self), trouble: trouble)
        return .text(readiness.isReady ? .ok : .serviceUnavailable, readiness.text)
    }
}
