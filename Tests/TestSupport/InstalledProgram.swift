import Foundation
import Testing

/// A program of another project that only tests need.
package enum InstalledProgram {
    /// Whether the program is installed. If it is not, the test is skipped, but this is a failure in
    /// automated runs (`CI` in the environment).
    /// - Parameters:
    ///   - path: The absolute path of the program.
    ///   - debianPackage: The package that contains it.
    package static func isThere(_ path: String, debianPackage: String) -> Bool {
        if FileManager.default.isExecutableFile(atPath: path) { return true }
        if ProcessInfo.processInfo.environment["CI"] != nil {
            Issue.record("\(path) is not installed; run 'sudo apt-get install \(debianPackage)'")
        }
        return false
    }
}
