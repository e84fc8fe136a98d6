"""Sample readers."""


class CalibrationDataReader:
    """Base of readers: get_next() gives {input name: array}, or None behind the last sample."""

    def get_next(self):
        raise NotImplementedError

    def __iter__(self):
        return self

    def __next__(self):
        sample = self.get_next()
        if sample is None:
            raise StopIteration
        return sample
