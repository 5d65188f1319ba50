internal import PushModel
internal import PushOperations

extension SubmittedDelivery {
    /// What accompanies the id, on standard error: the environments, unless that is production alone, and the
    /// warnings.
    func announce() {
        if environments.contains(.sandbox) {
            let names = environments.map(\.rawValue).joined(separator: " and ")
            StandardError.line("delivery \(id) goes to \(names)")
        }
        StandardError.warn(of: warnings)
    }
}
