internal import PushModel

extension ServiceBounds {
    /// Returns an SQL condition that is true for rows of the services; `nil` if there are no bounds.
    /// - Parameter column: The column with the number of a row's service.
    /// - Parameter others: Further numbers for which the condition is true.
    func condition(_ column: String, or others: [ServiceID] = []) -> String? {
        guard let services else { return nil }
        // No row has the number -1.
        let numbers = [-1] + (services.map(\.rawValue) + others.map(\.rawValue)).sorted()
        return "\(column) IN (\(numbers.map(String.init).joined(separator: ", ")))"
    }
}
