internal import Glibc

/// Where the programs are that a testbed is made of: beside the program that drives them.
package struct Programs: Sendable {
    package var pushmta: String
    package var pushsink: String
    package var pushload: String

    package init() throws(LoadError) {
        guard let own = unsafe realpath("/proc/self/exe", nil) else {
            throw LoadError(.programMissing("/proc/self/exe"))
        }
        defer { unsafe free(own) }
        let folder = unsafe String(cString: own).split(separator: "/", omittingEmptySubsequences: false)
            .dropLast()
            .joined(separator: "/")
        pushmta = "\(folder)/pushmta"
        pushsink = "\(folder)/pushsink"
        pushload = "\(folder)/pushload"
        for program in [pushmta, pushsink, pushload] where unsafe access(program, X_OK) != 0 {
            throw LoadError(.programMissing(program))
        }
    }
}
