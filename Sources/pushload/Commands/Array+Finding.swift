extension [Finding] {
    /// Prints them, a line each.
    /// - Throws: where one does not hold, which names the run's seed.
    func tell(seed: UInt64, after seconds: Double) throws {
        for finding in self { Terminal.line("\(finding)") }
        let broken = filter { !$0.holds }
        guard broken.isEmpty else {
            throw LoadError(.wrong("seed \(seed): \(broken.map(\.what).joined(separator: "; "))"))
        }
        Terminal.line("all \(count) assertions hold after \(seconds.fixed(1)) s")
    }
}
