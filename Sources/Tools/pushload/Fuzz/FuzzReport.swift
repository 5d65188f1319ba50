/// The results of a run of ``FuzzScenario``.
package struct FuzzReport: Sendable {
    /// The figures of the service's process.
    package struct Figures: Sendable {
        package var requests: Int
        package var residentMegabytes: Double
        /// The part of the memory that SQLite uses. SQLite caches more pages as the store grows, up to a
        /// fixed limit.
        package var storeMegabytes = 0.0
        var ownMegabytes: Double { residentMegabytes - storeMegabytes }
        /// The number of open files, excluding the sockets of this run's open connections. The early count
        /// was taken before the first request.
        package var openFiles: Int
    }

    package var wanted: Int
    /// The number of sent requests, by ``FuzzRequest/Kind``.
    package var sent = [Int](repeating: 0, count: FuzzRequest.Kind.allCases.count)
    package var answers: [Int: Int] = [:]
    package var seconds = 0.0
    /// Answers with status 500 or higher, except 501 and 503.
    package var errors = 0
    /// Well-framed requests that got no answer although no earlier answer announced that the server would
    /// close the connection.
    package var unanswered = 0
    /// The time from sending the first unanswered request until its connection was closed, in seconds.
    package var unansweredAfterSeconds: Double?
    /// Requests that were not answered in time and whose connections were not closed in time.
    package var hung = 0
    /// Connections that the server's own time-outs closed.
    package var timedOut = 0
    package var honest = 0
    package var wronglyAnswered = 0
    package var reported: Set<Int> = []
    package var registered: Set<Int> = []
    package var registry = SubscriberRegistry()
    /// Subscribers of the apps to which mutated requests are sent.
    package var mutated = 0
    package var shownReceived = 0
    package var early: Figures?
    package var late: Figures?
    package var hasEnded = false
    package var complaints: [String] = []
    /// The paths of files that contain the requests for which a fault was found.
    package var files: [String] = []

    init(wanted: Int) { self.wanted = wanted }

    package var requests: Int { sent.reduce(0, +) }

    // MARK: Judgement

    /// The maximum growth between the first tenth of the run and its end. It allows for two buffers of 64 KiB
    /// on each connection, which hold requests of the maximum size, and for memory that the allocator keeps
    /// after these buffers and the store's pages are freed. After ten million requests, a leak of two bytes
    /// per request exceeds this limit.
    package static let slackMegabytes = 20.0
    /// The maximum increase in the number of open files. Each of the store's readers opens three files, but
    /// not until the reader is first needed.
    package static let slackFiles = 30

    package var findings: [Finding] {
        let kinds = FuzzRequest.Kind.allCases.map { "\(sent[$0.rawValue]) \($0.name)" }
        let when = unansweredAfterSeconds.map { " (the first: closed after \($0.fixed(1)) s)" } ?? ""
        let statuses = answers.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
        return [
            Finding(
                "the service runs as the same process from beginning to end", !hasEnded && requests >= wanted,
                "\(requests) requests: \(kinds.joined(separator: ", "))"),
            Finding(
                "every connection is answered or closed in time", hung == 0,
                "\(hung) were not; the service's time-outs closed \(timedOut)"),
            Finding(
                "each request that is valid HTTP has an answer", unanswered == 0,
                "\(unanswered) have none\(when); \(statuses.joined(separator: ", "))"),
            Finding(
                "no answer reports an internal error", errors == 0,
                "\(errors) with status 500 or higher, except 501 and 503"
                    + (files.first.map { "; first request: \($0)" } ?? "")),
            Finding(
                "valid requests between mutated ones are answered as usual",
                honest > 0 && wronglyAnswered == 0,
                "\(honest) right, \(wronglyAnswered) wrong"),
            memory, flatFiles,
            Finding(
                "the subscribers are exactly those whose registration received 200",
                registry.missing + registry.different + registry.strange == 0
                    && registry.stored == registered.count && mutated > 0,
                "\(registry.stored) of \(registered.count) valid, \(registry.missing) missing, "
                    + "\(registry.different) different; \(mutated) by mutations, "
                    + "\(registry.strange) strange"),
            Finding(
                "only reports of real messages are counted", shownReceived == reported.count,
                "\(shownReceived) shown, \(reported.count) reported"),
            Finding(
                "the log contains no error", complaints.isEmpty,
                complaints.first.map { "\(complaints.count), first: \($0)" } ?? "none"),
        ]
    }

    private var memory: Finding {
        let (first, last) = (early?.ownMegabytes ?? 0, late?.ownMegabytes ?? 0)
        func numbers(_ figures: Figures?) -> String {
            let (all, store) = (figures?.residentMegabytes ?? 0, figures?.storeMegabytes ?? 0)
            return "\(all.fixed(1)) MiB (including the store's pages, \(store.fixed(1)) MiB)"
        }
        return Finding(
            "memory does not grow", first > 0 && last > 0 && last - first <= Self.slackMegabytes,
            "\(numbers(early)) after \(early?.requests ?? 0) requests, \(numbers(late)) at the end")
    }

    private var flatFiles: Finding {
        let (first, last) = (early?.openFiles ?? 0, late?.openFiles ?? 0)
        return Finding(
            "the number of open files does not grow",
            first > 0 && last > 0 && last - first <= Self.slackFiles,
            "\(first) before, \(last) at the end, after the run's connections were closed")
    }
}
