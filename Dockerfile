# Two targets: `app` is the dashboard without torch, `worker` runs the engine (GPU where the host offers one).
#   docker compose up                   both, sharing one data volume
#   docker compose up app worker-gpu    the same with GPUs
#   docker build --target app .         the dashboard alone

FROM python:3.11-slim AS app
WORKDIR /scorelens
ENV PYTHONUNBUFFERED=1 SCORELENS_DATA=/data
COPY requirements-app.txt .
RUN pip install --no-cache-dir -r requirements-app.txt
COPY . .
RUN useradd --create-home scorelens && mkdir /data && chown scorelens /data
USER scorelens
VOLUME /data
EXPOSE 8501
CMD ["streamlit", "run", "app.py", "--server.address=0.0.0.0", "--server.port=8501"]

FROM app AS worker
USER root
COPY requirements.txt requirements-demo.txt ./
RUN pip install --no-cache-dir -r requirements.txt && pip install --no-cache-dir --no-deps -r requirements-demo.txt
USER scorelens
CMD ["python", "-m", "engine", "worker"]
